// uring_queue.hpp: what the io_uring engines share: handing over, waiting, taking completions, and
// the facts about it. Each fills the ring's entries itself.
#pragma once

#include "engines/deadline.hpp"
#include "engines/engine.hpp"
#include "engines/option_decls.hpp"
#include "engines/uring.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <memory>
#include <new>
#include <span>
#include <unistd.h>

namespace chronio {

/// What a job asks of its ring. Only of registered buffers and files is it sure that the kernel did
/// as asked; what became of polling, completions tell (Facts::polled).
struct UringWish {
  bool polls = false;       ///< IORING_SETUP_IOPOLL
  bool has_thread = false;  ///< IORING_SETUP_SQPOLL
  int thread_cpu = -1;      ///< of that thread; -1: any
  bool fixed_buffers = false;
  bool registered_files = false;
  unsigned flags = 0;  ///< further ones of io_uring_setup(2)
};

/// Options that every io_uring engine has, first in its list and in this order: the value is the
/// index for Setup::option(). Names and meanings are fio's (engines/io_uring.c), hybrid_poll apart.
enum RingOption : std::uint32_t {
  fixedbufs,
  registerfiles,
  sqthread_poll,
  sqthread_poll_cpu,
  hipri,
  hybrid_poll,
  ring_options
};
inline constexpr std::array<OptionDecl, ring_options> kRingOptions{
    flag_option("fixedbufs", "register the I/O buffers with the kernel"),
    flag_option("registerfiles", "register the files with the kernel"),
    flag_option("sqthread_poll", "let a kernel thread submit, which polls for new requests"),
    number_option("sqthread_poll_cpu", -1, 65535, "-1",
                  "CPU of the thread of sqthread_poll; -1: any"),
    flag_option("hipri", "poll the device for completions; needs direct=1 and poll queues"),
    flag_option("hybrid_poll", "with hipri: sleep for a part of the usual time first (Linux 6.13)"),
};

/// kRingOptions and then `more`: an engine's own options begin at index ring_options.
template <std::size_t N>
constexpr std::array<OptionDecl, ring_options + N> with_ring_options(
    const std::array<OptionDecl, N>& more) {
  std::array<OptionDecl, ring_options + N> all{};
  std::copy(kRingOptions.begin(), kRingOptions.end(), all.begin());
  std::copy(more.begin(), more.end(), all.begin() + ring_options);
  return all;
}

/// [setup] What the job set of these. REQUIRES: the engine declared with_ring_options().
[[nodiscard]] inline UringWish wish_of(const Setup& setup) noexcept {
  const auto set = [&setup](RingOption id) { return setup.option(id).number != 0; };
  UringWish wish;
  wish.polls = set(hipri);
  wish.has_thread = set(sqthread_poll);
  wish.thread_cpu = static_cast<int>(setup.option(sqthread_poll_cpu).number);
  wish.fixed_buffers = set(fixedbufs);
  wish.registered_files = set(registerfiles);
  if (set(hybrid_poll)) wish.flags = kSetupHybridPoll;  // the kernel refuses it without hipri
  return wish;
}

/// Threads "iou-wrk-TID" of the calling thread: the kernel's workers, which take requests that
/// would block. They are threads of this process since Linux 5.12, and end some seconds after their
/// last request, so ask soon. -1: unknown, also in a process of more than 128 threads: each worker
/// reads the names of all threads, which would be quadratic in their number.
[[nodiscard]] inline std::int64_t kernel_workers() noexcept {
  char wanted[32];
  std::snprintf(wanted, sizeof wanted, "iou-wrk-%d\n", gettid());
  DIR* tasks = opendir("/proc/self/task");
  if (tasks == nullptr) return -1;
  std::int64_t count = 0;
  int seen = 0;
  while (const dirent* task = readdir(tasks)) {
    if (++seen > 128) {
      count = -1;
      break;
    }
    char path[64];
    char name[32] = {};
    std::snprintf(path, sizeof path, "/proc/self/task/%.20s/comm", task->d_name);
    std::FILE* file = std::fopen(path, "re");
    if (file == nullptr) continue;
    if (std::fgets(name, sizeof name, file) != nullptr && std::strcmp(name, wanted) == 0) ++count;
    std::fclose(file);
  }
  closedir(tasks);
  return count;
}

/// A ring and the requests on it, with the hooks of Engine that all io_uring engines share. An
/// engine fills entries and says how Io::result is made: `ResultOf` is called as std::int64_t
/// (const Io&, int res). One thread.
template <class ResultOf>
class UringQueue {
 public:
  /// [setup] 0 or -errno, with nothing left open: -ENOMEM also when RLIMIT_MEMLOCK is too low for
  /// the buffers to register; -EINVAL for a flag or a depth that this kernel does not take.
  [[nodiscard]] int open(const Setup& setup, const UringWish& wish) noexcept {
    wish_ = wish;
    // A table of our own: Setup::file() multiplies by a stride, on every request.
    fds_.reset(new (std::nothrow) int[setup.file_count]);
    if (!fds_) return -ENOMEM;
    for (std::uint32_t i = 0; i < setup.file_count; ++i) fds_[i] = setup.file(i).fd;
    unsigned flags = wish.flags | (wish.polls ? IORING_SETUP_IOPOLL : 0U);
    if (wish.has_thread) flags |= IORING_SETUP_SQPOLL;
    if (wish.has_thread && wish.thread_cpu >= 0) flags |= IORING_SETUP_SQ_AFF;
    int error = ring_.open(entries(setup.iodepth), flags, wish.thread_cpu);
    if (error < 0) return error;
    // Both belong to the ring and end with it, so nothing has to be given back one by one.
    if (wish.fixed_buffers) error = register_buffers(setup);
    if (error == 0 && wish.registered_files) error = register_files(setup.file_count);
    if (error < 0) ring_.close();
    return error;
  }
  /// [setup] Nothing is outstanding.
  void close() noexcept { ring_.close(); }

  /// [hot] The next entry to fill, with what stood in it before; null: the engine is busy.
  [[nodiscard]] io_uring_sqe* next() noexcept {
    io_uring_sqe* entry = ring_.next();
    if (entry == nullptr && outstanding_ == 0) [[unlikely]]
      entry = wait_for_entry();
    return entry;
  }
  /// [hot] The entry is filled: marks it with its request, which is outstanding from here on.
  void add(io_uring_sqe& entry, Io& io) noexcept {
    entry.user_data = reinterpret_cast<std::uintptr_t>(&io);
    ++outstanding_;
  }
  /// [hot] What stands in an entry's fd, and in its flags: a descriptor, or with registered files
  /// the file's number and IOSQE_FIXED_FILE. Each request then spares the look-up of a descriptor.
  [[nodiscard]] int fd(const Io& io) const noexcept { return fds_[io.file]; }
  [[nodiscard]] std::uint8_t flags() const noexcept {
    return wish_.registered_files ? IOSQE_FIXED_FILE : 0;
  }
  [[nodiscard]] const UringWish& wish() const noexcept { return wish_; }
  /// [hot] Requests wait for commit() or reap() to hand them over.
  [[nodiscard]] bool holds_new() const noexcept { return ring_.holds_new(); }

  /// [hot] Engine::commit(). Completions that are there after it, but were not before, were made by
  /// the submission itself (see Uring::defers()): they are what facts() calls inline.
  [[nodiscard]] int commit() noexcept {
    if (ring_.unsent() == 0) return 0;
    // Only what is there already is taken off: with deferred task work, nothing that waited can
    // complete during a call that asks for no completions.
    const unsigned before = ring_.ready();
    const int error = ring_.enter(ring_.unsent(), 0, 0, -1);
    inline_completions_ += ring_.ready() - before;
    return is_passing(error) ? 0 : error;  // what stays in the ring goes with the next call
  }

  /// [hot] Engine::reap(): a count, or -errno when there is none and the ring itself failed. One
  /// system call at most where all goes well, none where enough is there already. Polling without a
  /// limit, the wait spins in the kernel until the device answers; a fatal signal ends it.
  [[nodiscard]] int reap(std::uint32_t min, std::span<Io*> done, std::int64_t timeout_ns) noexcept {
    // First what is there: in a busy loop that is often enough, and no system call.
    std::uint32_t count = take(done);
    if (timeout_ns == 0) min = 0;
    if (!must_enter(count, min)) return static_cast<int>(count);
    const Deadline deadline(timeout_ns);
    int error = 0;
    do {
      error = submit_and_wait(count < min ? min - count : 0, deadline);
      count += take(done.subspan(count));  // whatever the call said, the ring tells what there is
    } while (count < min && is_passing(error) && !deadline.passed());
    return count > 0 || is_passing(error) ? static_cast<int>(count) : error;
  }

  /// [setup] Engine::facts(), but for `punts`. Inline completions are told only where they can be
  /// counted: with deferred task work, and while commit() alone has submitted.
  void facts(Facts& out) const noexcept {
    out.polled = polled_;
    out.fixed_buffers = wish_.fixed_buffers ? 1 : 0;
    out.registered_files = wish_.registered_files ? 1 : 0;
    out.enter_calls = ring_.enter_calls();
    out.sq_poll = wish_.has_thread ? 1 : 0;
    out.kernel_workers = kernel_workers();
    if (ring_.defers() && !submitted_by_reap_) out.inline_completions = inline_completions_;
  }

 private:
  static constexpr std::uint32_t kMostEntries = 32768;  // of io_uring_setup(2)

  /// Of the submission ring. The kernel's thread frees the entries of a batch when it has submitted
  /// all of it: by then, all iodepth requests of the batch may be back and as many new ones queued.
  [[nodiscard]] std::uint32_t entries(std::uint32_t iodepth) const noexcept {
    if (!wish_.has_thread || iodepth > kMostEntries) return iodepth;
    return std::min(2 * iodepth, kMostEntries);
  }

  /// One buffer for each slot, so that a request's index is its buffer's number. Pins all pages,
  /// and counts them against RLIMIT_MEMLOCK.
  int register_buffers(const Setup& setup) noexcept {
    const std::unique_ptr<iovec[]> buffers(new (std::nothrow) iovec[setup.iodepth]);
    if (!buffers) return -ENOMEM;
    for (std::size_t slot = 0; slot < setup.iodepth; ++slot) {
      buffers[slot] = {setup.buffers + slot * setup.buf_stride, setup.buf_stride};
    }
    return io_uring_register_buffers(ring_.get(), buffers.get(), setup.iodepth);
  }

  /// From then on an entry names a file by its number.
  int register_files(std::uint32_t count) noexcept {
    const int error = io_uring_register_files(ring_.get(), fds_.get(), count);
    for (std::uint32_t i = 0; i < count; ++i) fds_[i] = static_cast<int>(i);
    return error;
  }

  /// The kernel has to be asked, with `count` completions in hand and `min` wanted. What it holds
  /// back is fetched even so: else a request that waited would stay there as long as others are
  /// done while they are submitted.
  [[nodiscard]] bool must_enter(std::uint32_t count, std::uint32_t min) const noexcept {
    if (ring_.unsent() > 0 || count < min || ring_.holds_back()) return true;
    return count == 0 && wish_.polls;
  }

  /// All requests are back, but the kernel's thread has not freed their entries yet: it is about
  /// to. Nothing else would make room, so this is waited for. Null: the ring itself failed.
  [[gnu::noinline, gnu::cold]] io_uring_sqe* wait_for_entry() noexcept {
    io_uring_sqe* entry = nullptr;
    while (entry == nullptr && is_passing(ring_.enter(0, 0, IORING_ENTER_SQ_WAIT, -1)))
      entry = ring_.next();
    return entry;
  }

  /// The call was interrupted or ran out of time or of kernel memory: no error of the ring's.
  static bool is_passing(int error) noexcept {
    return error == 0 || error == -EINTR || error == -ETIME || error == -EAGAIN || error == -EBUSY;
  }

  /// One round, which may end early. Returns 0 or -errno.
  int submit_and_wait(unsigned min, const Deadline& deadline) noexcept {
    // On a polled ring the kernel's wait heeds no timeout: look once, and come again.
    if (wish_.polls && !wish_.has_thread && deadline.limited()) min = 0;
    // Without something to wait for a timeout means nothing, and EXT_ARG costs a copy of its
    // argument.
    const std::int64_t timeout_ns = min > 0 && deadline.limited() ? deadline.left_ns() : -1;
    const unsigned unsent = ring_.unsent();
    // With GETEVENTS the kernel also runs deferred task work, or looks at a polled device. With the
    // submitting thread both are its own business, so a call that waits for nothing is spared.
    const unsigned flags = min > 0 || !wish_.has_thread ? IORING_ENTER_GETEVENTS : 0;
    // Such a call submits and collects at once: what came inline can't be told from the rest.
    submitted_by_reap_ |= unsent > 0;
    const int error = ring_.enter(unsent, min, flags, timeout_ns);
    if (error != -EAGAIN && error != -EBUSY) return error;
    // No memory for more requests until some have ended; this call has not waited for any.
    if (outstanding_ == ring_.unsent()) return -ENOMEM;
    return ring_.enter(0, std::min(min, 1U), IORING_ENTER_GETEVENTS, timeout_ns);
  }

  /// Completions into `done`, as many as fit, without a system call.
  std::uint32_t take(std::span<Io*> done) noexcept {
    Io** next = done.data();
    const std::uint32_t count = ring_.take(done.size(), [&next](const io_uring_cqe& cqe) {
      auto* io = static_cast<Io*>(io_uring_cqe_get_data(&cqe));
      io->result = ResultOf{}(*io, cqe.res);
      *next++ = io;
    });
    outstanding_ -= count;
    if (wish_.polls) {
      // A refusal to poll is no polled completion.
      polled_ += std::ranges::count_if(done.first(count), [](Io* io) { return io->result >= 0; });
    }
    return count;
  }

  Uring ring_;
  UringWish wish_;
  std::unique_ptr<int[]> fds_;      // by file: descriptors, or numbers of registered files
  bool submitted_by_reap_ = false;  // then nobody can tell which requests were done inline
  std::uint32_t outstanding_ = 0;
  std::int64_t polled_ = 0, inline_completions_ = 0;
};

}  // namespace chronio

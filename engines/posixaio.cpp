// posixaio.cpp: aio_read(3) and its like: the C library's threads make the calls. It works on one
// file with one thread, so depth counts only across files. The library allocates, locks and starts
// threads as it goes; what of that can be had before the measurement is had in open().
#include "engines/deadline.hpp"
#include "engines/engine.hpp"
#include "engines/posix_io.hpp"

#include <aio.h>
#include <algorithm>
#include <memory>
#include <mutex>
#include <new>

namespace {

using namespace chronio;

/// Makes the library take its memory and threads now: it grows its table of requests, and starts a
/// thread, when it first needs them.
int warm_up(std::uint32_t requests, std::uint32_t files) noexcept;

class PosixAio final : public Engine {
 public:
  int open(const Setup& setup) noexcept override {
    setup_ = setup;
    requests_.reset(new (std::nothrow) aiocb[setup.iodepth]{});
    waiting_.reset(new (std::nothrow) aiocb*[setup.iodepth]);
    if (!requests_ || !waiting_) return -ENOMEM;
    return warm_up(setup.iodepth, setup.file_count);
  }

  Queued queue(Io& io) noexcept override {
    aiocb& request = requests_[io.index];
    prepare(request, io);
    const std::int64_t error = start(request, io.ddir);
    // Done here and now, by this thread: the library's threads have no call for trims. Not between
    // the requests of a batch, whose issue is at its commit: the call would lie before it.
    if (error == -ENOSYS && in_batch_) return Queued::busy;
    if (error == -ENOSYS) io.result = without_data(request.aio_fildes, io);
    // No memory or thread for one more: some have to come back first.
    if (error == -EAGAIN && count_ > 0) return Queued::busy;
    if (error < 0) {
      if (error != -ENOSYS) io.result = error;
      return Queued::completed;
    }
    waiting_[count_++] = &request;
    in_batch_ = true;
    return Queued::pending;
  }

  int commit() noexcept override {
    in_batch_ = false;  // the library's threads have all of it already
    return 0;
  }

  int reap(std::uint32_t min, std::span<Io*> done, std::int64_t timeout_ns) noexcept override {
    in_batch_ = false;
    std::uint32_t count = take(done);
    if (timeout_ns == 0 || count >= min) return static_cast<int>(count);
    const Deadline deadline(timeout_ns);
    do {
      const int error = wait(deadline);
      if (error < 0) return count > 0 ? static_cast<int>(count) : error;
      count += take(done.subspan(count));
    } while (count < min && !deadline.passed());
    return static_cast<int>(count);
  }

 private:
  void prepare(aiocb& request, Io& io) const noexcept {
    request = {};
    request.aio_fildes = setup_.file(io.file).fd;
    request.aio_buf = io.buf;
    request.aio_nbytes = io.len;
    request.aio_offset = static_cast<off_t>(io.offset);
    // Nothing is told: a signal or a thread for each completion would cost more than looking.
    request.aio_sigevent.sigev_notify = SIGEV_NONE;
    request.aio_sigevent.sigev_value.sival_ptr = &io;
  }

  /// 0 or -errno; -ENOSYS when the library has no call for it.
  static std::int64_t start(aiocb& request, Ddir ddir) noexcept {
    int returned = -1;
    switch (ddir) {
      case Ddir::read: returned = aio_read(&request); break;
      case Ddir::write: returned = aio_write(&request); break;
      case Ddir::sync: returned = aio_fsync(O_SYNC, &request); break;
      case Ddir::datasync: returned = aio_fsync(O_DSYNC, &request); break;
      default: return -ENOSYS;
    }
    return returned == 0 ? 0 : -errno;
  }

  /// Looks at every outstanding request, for the library keeps no list of those that are done:
  /// linear in the depth, and a memory read each.
  std::uint32_t take(std::span<Io*> done) noexcept {
    std::uint32_t count = 0;
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < count_; ++i) {
      aiocb* request = waiting_[i];
      const int error = count < done.size() ? aio_error(request) : EINPROGRESS;
      if (error == EINPROGRESS) {
        waiting_[kept++] = request;
        continue;
      }
      Io* io = static_cast<Io*>(request->aio_sigevent.sigev_value.sival_ptr);
      // Called once for each, whatever became of it: only then may the control block be used again.
      const ssize_t returned = aio_return(request);
      io->result = error == 0 ? returned : -error;
      done[count++] = io;
    }
    count_ = kept;
    return count;
  }

  /// Until one has ended, a signal comes, or the time is over: 0. Else -errno.
  [[nodiscard]] int wait(const Deadline& deadline) const noexcept {
    const std::int64_t left = deadline.limited() ? deadline.left_ns() : 0;
    const timespec timeout{left / 1'000'000'000, left % 1'000'000'000};
    // The library builds a list of them on the stack: the oldest are enough to wait for.
    const auto some = static_cast<int>(std::min(count_, 1024U));
    if (aio_suspend(waiting_.get(), some, deadline.limited() ? &timeout : nullptr) == 0) return 0;
    // EAGAIN: the time is over.
    return errno == EINTR || errno == EAGAIN ? 0 : -errno;
  }

  Setup setup_{};
  std::unique_ptr<aiocb[]> requests_;  // by slot
  std::unique_ptr<aiocb*[]> waiting_;  // the outstanding ones, oldest first
  std::uint32_t count_ = 0;
  bool in_batch_ = false;  // something was queued since commit()
};

constexpr std::uint32_t kThreads = 20;  // the library's default

/// `requests` reads of /dev/zero at once, over as many descriptors as threads can be.
int read_zeroes(std::uint32_t requests, std::uint32_t threads) noexcept {
  // Blocks of its own: more may be wanted than this worker has.
  const std::unique_ptr<aiocb[]> all(new (std::nothrow) aiocb[requests]{});
  if (!all) return -ENOMEM;
  int fds[kThreads];
  for (std::uint32_t i = 0; i < threads; ++i) fds[i] = ::open("/dev/zero", O_RDONLY | O_CLOEXEC);
  int error = 0;
  static char byte;
  std::uint32_t started = 0;
  for (; started < requests && error == 0; ++started) {
    all[started].aio_fildes = fds[started % threads];
    all[started].aio_buf = &byte;
    all[started].aio_nbytes = 1;
    all[started].aio_sigevent.sigev_notify = SIGEV_NONE;
    if (aio_read(&all[started]) != 0) error = -errno;
  }
  if (error < 0) --started;
  for (std::uint32_t i = 0; i < started; ++i) {
    const aiocb* one = &all[i];
    // Each has to have come back before the descriptors are closed and the blocks freed.
    while (aio_error(one) == EINPROGRESS) aio_suspend(&one, 1, nullptr);
    aio_return(&all[i]);
  }
  for (std::uint32_t i = 0; i < threads; ++i) ::close(fds[i]);
  return error;
}

// [setup] Reads of /dev/zero, as many at once as requests can be: afterwards the library's table is
// as large and its threads are as many as the run will need.
int warm_up(std::uint32_t requests, std::uint32_t files) noexcept {
  static std::mutex mutex;
  static std::uint32_t all_requests = 0;  // of all workers so far: they share the library's table
  static std::uint32_t all_files = 0;
  static std::uint32_t warm_requests = 0;
  static std::uint32_t warm_threads = 0;
  const std::lock_guard lock(mutex);
  if (all_requests == 0) {
    aioinit limits{};
    limits.aio_threads = kThreads;
    limits.aio_num = 64;
    limits.aio_idle_time = 3600;  // seconds: a thread that ends would have to be started again
    aio_init(&limits);
  }
  all_requests += requests;
  all_files += files;
  const std::uint32_t threads = std::min({all_files, kThreads, all_requests});
  if (all_requests <= warm_requests && threads <= warm_threads) return 0;
  // Twice as many as are needed now, or thousands of workers would take quadratic time.
  warm_requests = std::max(warm_requests, 2 * all_requests);
  warm_threads = threads;
  return read_zeroes(warm_requests, threads);
}

constexpr std::span<const OptionDecl> kOptions;

}  // namespace

CHRONIO_ENGINE("posixaio", PosixAio, kTrims | kOwnsThreads | kOneByOne, kOptions,
               "aio_read(3) and aio_write(3): threads of the C library");

// io_uring.cpp: requests through an io_uring(7) ring of the worker's own.
#include "engines/deadline.hpp"
#include "engines/engine.hpp"
#include "engines/posix_io.hpp"
#include "engines/uring.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <new>

namespace {

using namespace chronio;

enum Option : std::uint32_t { fixedbufs, registerfiles, sqthread_poll, sqthread_poll_cpu, hipri };

constexpr OptionDecl flag(const char* name, const char* help) {
  return {name, OptionType::flag, OptionUnit::none, 0, 1, nullptr, "0", help};
}

constexpr std::array kOptions{
    flag("fixedbufs", "register the I/O buffers with the kernel"),
    flag("registerfiles", "register the files with the kernel"),
    flag("sqthread_poll", "let a kernel thread submit, which polls for new requests"),
    OptionDecl{"sqthread_poll_cpu", OptionType::number, OptionUnit::none, -1, 65535, nullptr, "-1",
               "CPU of the thread of sqthread_poll; -1: any"},
    flag("hipri", "poll the device for completions; needs direct=1 and poll queues"),
};

class IoUring final : public Engine {
 public:
  int open(const Setup& setup) noexcept override {
    setup_ = setup;
    polls_ = option(hipri) != 0;
    has_thread_ = option(sqthread_poll) != 0;
    if (polls_ && !all_direct()) return -EOPNOTSUPP;  // what every request would be answered
    int error = open_ring();
    if (error < 0) return error;
    if (option(fixedbufs) != 0) error = register_buffers();
    if (error == 0 && option(registerfiles) != 0) error = register_files();
    if (error < 0) ring_.close();
    return error;
  }

  Queued queue(Io& io) noexcept override {
    const bool transfers = io.ddir == Ddir::read || io.ddir == Ddir::write;
    const bool syncs = io.ddir == Ddir::sync || io.ddir == Ddir::datasync;
    if (!transfers && (polls_ || !syncs)) {  // the kernel takes no fsync on a polled ring
      io.result = without_data(setup_.file(io.file).fd, io);
      return Queued::completed;
    }
    io_uring_sqe* sqe = ring_.next();
    if (sqe == nullptr) return Queued::busy;
    if (transfers) {
      prepare_transfer(*sqe, io);
    } else {
      io_uring_prep_fsync(sqe, fd(io), io.ddir == Ddir::datasync ? IORING_FSYNC_DATASYNC : 0);
    }
    if (fixed_files_) sqe->flags |= IOSQE_FIXED_FILE;
    io_uring_sqe_set_data(sqe, &io);
    ++outstanding_;
    return Queued::pending;
  }

  int commit() noexcept override {
    if (ring_.unsent() == 0) return 0;
    const unsigned before = ring_.ready();
    const int error = ring_.enter(ring_.unsent(), 0, 0, -1);
    inline_completions_ += ring_.ready() - before;
    return is_passing(error) ? 0 : error;  // what stays in the ring goes with the next call
  }

  /// With hipri and without a limit the wait spins in the kernel until the device answers; a fatal
  /// signal ends it.
  int reap(std::uint32_t min, std::span<Io*> done, std::int64_t timeout_ns) noexcept override {
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

  void close() noexcept override { ring_.close(); }

  void facts(Facts& out) const noexcept override {
    out.polled = polled_;
    out.fixed_buffers = fixed_buffers_ ? 1 : 0;
    out.registered_files = fixed_files_ ? 1 : 0;
    out.enter_calls = ring_.enter_calls();
    if (ring_.defers() && !submitted_by_reap_) out.inline_completions = inline_completions_;
  }

 private:
  [[nodiscard]] std::int64_t option(Option id) const noexcept { return setup_.option(id).number; }

  [[nodiscard]] bool all_direct() const noexcept {
    for (std::uint32_t i = 0; i < setup_.file_count; ++i) {
      if (!setup_.file(i).direct) return false;
    }
    return true;
  }

  int open_ring() noexcept {
    const auto cpu = static_cast<int>(option(sqthread_poll_cpu));
    unsigned flags = polls_ ? IORING_SETUP_IOPOLL : 0;
    if (has_thread_) flags |= IORING_SETUP_SQPOLL;
    if (has_thread_ && cpu >= 0) flags |= IORING_SETUP_SQ_AFF;
    return ring_.open(setup_.iodepth, flags, cpu);
  }

  int register_buffers() noexcept {
    const std::unique_ptr<iovec[]> buffers(new (std::nothrow) iovec[setup_.iodepth]);
    if (!buffers) return -ENOMEM;
    for (std::size_t slot = 0; slot < setup_.iodepth; ++slot) {
      buffers[slot] = {setup_.buffers + slot * setup_.buf_stride, setup_.buf_stride};
    }
    fixed_buffers_ = true;
    return io_uring_register_buffers(ring_.get(), buffers.get(), setup_.iodepth);
  }

  int register_files() noexcept {
    const std::unique_ptr<int[]> files(new (std::nothrow) int[setup_.file_count]);
    if (!files) return -ENOMEM;
    for (std::uint32_t i = 0; i < setup_.file_count; ++i) files[i] = setup_.file(i).fd;
    fixed_files_ = true;
    return io_uring_register_files(ring_.get(), files.get(), setup_.file_count);
  }

  [[nodiscard]] int fd(const Io& io) const noexcept {
    return fixed_files_ ? static_cast<int>(io.file) : setup_.file(io.file).fd;
  }

  void prepare_transfer(io_uring_sqe& sqe, const Io& io) const noexcept {
    if (io.ddir == Ddir::read) {
      io_uring_prep_read(&sqe, fd(io), io.buf, io.len, io.offset);
    } else {
      io_uring_prep_write(&sqe, fd(io), io.buf, io.len, io.offset);
    }
    if (fixed_buffers_) {
      sqe.opcode = io.ddir == Ddir::read ? IORING_OP_READ_FIXED : IORING_OP_WRITE_FIXED;
      sqe.buf_index = static_cast<std::uint16_t>(io.index);
    }
    sqe.ioprio = io.ioprio;
  }

  /// The kernel has to be asked, with `count` completions in hand and `min` wanted.
  [[nodiscard]] bool must_enter(std::uint32_t count, std::uint32_t min) const noexcept {
    if (ring_.unsent() > 0 || count < min) return true;
    return count == 0 && (polls_ || ring_.holds_back());
  }

  /// The call was interrupted or ran out of time or of kernel memory: no error of the ring's.
  static bool is_passing(int error) noexcept {
    return error == 0 || error == -EINTR || error == -ETIME || error == -EAGAIN || error == -EBUSY;
  }

  /// One round, which may end early. Returns 0 or -errno.
  int submit_and_wait(unsigned min, const Deadline& deadline) noexcept {
    // On a polled ring the kernel's wait heeds no timeout: look once, and come again.
    if (polls_ && !has_thread_ && deadline.limited()) min = 0;
    const std::int64_t timeout_ns = min > 0 && deadline.limited() ? deadline.left_ns() : -1;
    const unsigned unsent = ring_.unsent();
    const unsigned flags = min > 0 || !has_thread_ ? IORING_ENTER_GETEVENTS : 0;
    submitted_by_reap_ |= unsent > 0;
    const int error = ring_.enter(unsent, min, flags, timeout_ns);
    if (error != -EAGAIN && error != -EBUSY) return error;
    // No memory for more requests until some have ended; this call has not waited for any.
    if (outstanding_ == ring_.unsent()) return -ENOMEM;
    return ring_.enter(0, std::min(min, 1U), IORING_ENTER_GETEVENTS, timeout_ns);
  }

  std::uint32_t take(std::span<Io*> done) noexcept {
    Io** next = done.data();
    const std::uint32_t count = ring_.take(done.size(), [&next](const io_uring_cqe& cqe) {
      *next = static_cast<Io*>(io_uring_cqe_get_data(&cqe));
      (*next++)->result = cqe.res;
    });
    outstanding_ -= count;
    if (polls_) polled_ += count;
    return count;
  }

  Setup setup_{};
  Uring ring_;
  bool polls_ = false, has_thread_ = false, fixed_buffers_ = false, fixed_files_ = false;
  bool submitted_by_reap_ = false;  // then nobody can tell which requests were done inline
  std::uint32_t outstanding_ = 0;
  std::int64_t polled_ = 0, inline_completions_ = 0;
};

}  // namespace

CHRONIO_ENGINE("io_uring", IoUring, 0, (std::span<const OptionDecl>{kOptions}),
               "Linux io_uring; asynchronous");

// uring.hpp: an io_uring(7) ring whose system calls can be counted; for the io_uring engines only.
//
// It enters the kernel by itself instead of by io_uring_submit_and_wait_timeout, which waits a
// second time when the call that submitted ran out of time, and hides how often it entered.
#pragma once

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <liburing.h>

namespace chronio {

// Newer than the headers of liburing 2.3. An older kernel answers -EINVAL to a flag that it does
// not know, so nothing has to ask for its version.
// Newer than the headers of liburing 2.3.
inline constexpr unsigned kSetupHybridPoll = 1U << 17;  ///< IORING_SETUP_HYBRID_IOPOLL, Linux 6.13

/// One ring, used by the thread that opened it: with SINGLE_ISSUER the kernel refuses all others.
/// Functions return a count, or 0, or -errno. liburing sets the ring up and fills entries; entering
/// the kernel and reading completions is done here.
class Uring {
 public:
  /// [setup] `flags` of io_uring_setup(2); `sq_thread_cpu` counts with IORING_SETUP_SQ_AFF. The
  /// kernel rounds `entries` up to a power of two and makes twice as many completion entries.
  /// -ENOSYS: the kernel has no io_uring or is older than 5.11; -EPERM: io_uring is switched off
  /// (sysctl kernel.io_uring_disabled); -EINVAL: entries or flags that this kernel does not take.
  [[nodiscard]] int open(unsigned entries, unsigned flags, int sq_thread_cpu) noexcept {
    defers_ = (flags & IORING_SETUP_SQPOLL) == 0;  // the kernel refuses both together
    int error = create(entries, defers_ ? flags | kDeferred : flags, sq_thread_cpu);
    if (error == -EINVAL && defers_) {
      defers_ = false;
      error = create(entries, flags, sq_thread_cpu);
    }
    if (error < 0) return error;
    if ((ring_.features & IORING_FEAT_EXT_ARG) == 0) {
      close();
      return -ENOSYS;
    }
    // Since Linux 5.18 the ring may have a number of its own, which spares each call the look-up of
    // a descriptor. Without it, all is as before.
    enter_fd_ = ring_.ring_fd;
    if (io_uring_register_ring_fd(&ring_) == 1) {
      enter_fd_ = ring_.enter_ring_fd;
      enter_flags_ = IORING_ENTER_REGISTERED_RING;
    }
    return 0;
  }
  /// [setup] REQUIRES: open() answered 0.
  void close() noexcept { io_uring_queue_exit(&ring_); }

  /// For liburing's register functions. Whoever submits by it is not counted.
  [[nodiscard]] io_uring* get() noexcept { return &ring_; }
  /// [hot] The next entry to fill, which still holds what stood in it a round ago; null when the
  /// submission ring is full. Nothing goes to the kernel before enter().
  [[nodiscard]] io_uring_sqe* next() noexcept { return io_uring_get_sqe(&ring_); }
  /// [hot] Filled entries that the kernel has not taken; with SQPOLL, its thread takes them by
  /// itself.
  [[nodiscard]] unsigned unsent() const noexcept { return io_uring_sq_ready(&ring_); }
  /// [hot] Filled entries that enter() has not handed over, whoever takes them.
  [[nodiscard]] bool holds_new() const noexcept { return ring_.sq.sqe_tail != ring_.sq.sqe_head; }
  /// [hot] Completions that take() would find. No system call.
  [[nodiscard]] unsigned ready() const noexcept { return io_uring_cq_ready(&ring_); }
  /// [hot] There are completions that only a system call brings into the completion ring: task work
  /// that was deferred (IORING_SQ_TASKRUN), or more than the ring could hold
  /// (IORING_SQ_CQ_OVERFLOW).
  [[nodiscard]] bool holds_back() const noexcept {
    constexpr unsigned kHeld = IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW;
    return (IO_URING_READ_ONCE(*ring_.sq.kflags) & kHeld) != 0;
  }
  /// Completions come only inside enter() with IORING_ENTER_GETEVENTS: those that are there after a
  /// call without it were made by the submission itself.
  [[nodiscard]] bool defers() const noexcept { return defers_; }
  /// io_uring_enter(2) calls since open(), failed ones too; set-up is not in it.
  [[nodiscard]] std::int64_t enter_calls() const noexcept { return enter_calls_; }

  /// [hot] Hands over `submit` entries and, with IORING_ENTER_GETEVENTS in `flags`, waits for `min`
  /// completions, once: the wait may end early for many reasons, so look at ready(). `timeout_ns`
  /// below 0: no limit. 0 or -errno (-ETIME, -EINTR, -EAGAIN, -EBUSY are no failures of the ring;
  /// see UringQueue). With SQPOLL no system call is made when there is nothing to tell the kernel.
  [[nodiscard]] int enter(unsigned submit, unsigned min, unsigned flags,
                          std::int64_t timeout_ns) noexcept {
    // As liburing's own flush: entry i stands in place i of the kernel's index array since set-up,
    // so handing over is a move of the tail.
    ring_.sq.sqe_head = ring_.sq.sqe_tail;
    const std::atomic_ref tail(*ring_.sq.ktail);
    if ((ring_.flags & IORING_SETUP_SQPOLL) == 0) {
      tail.store(ring_.sq.sqe_tail, std::memory_order_release);
    } else {
      // The thread raises its flag, then looks at the tail a last time: this order finds it awake
      // or the flag up. No fence, which the thread sanitizer does not know.
      tail.store(ring_.sq.sqe_tail, std::memory_order_seq_cst);
      const unsigned raised = std::atomic_ref(*ring_.sq.kflags).load(std::memory_order_seq_cst);
      if ((raised & IORING_SQ_NEED_WAKEUP) != 0) flags |= IORING_ENTER_SQ_WAKEUP;
      if (flags == 0) return 0;
    }
    ++enter_calls_;
    return std::min(0, call(submit, min, flags, timeout_ns));
  }

  /// [hot] Gives up to `most` completions to `use(const io_uring_cqe&)`, the oldest first, and
  /// frees their places afterwards, all at once: one store that the kernel sees instead of one for
  /// each. Returns how many. No system call.
  template <class Use>
  std::uint32_t take(std::size_t most, Use use) noexcept {
    const auto count = static_cast<unsigned>(std::min<std::size_t>(ready(), most));
    const unsigned head = *ring_.cq.khead;
    if ((ring_.flags & IORING_SETUP_CQE32) == 0) {
      for (unsigned i = 0; i < count; ++i) use(ring_.cq.cqes[(head + i) & ring_.cq.ring_mask]);
    } else {  // each takes the place of two
      for (unsigned i = 0; i < count; ++i)
        use(ring_.cq.cqes[std::size_t{(head + i) & ring_.cq.ring_mask} * 2]);
    }
    io_uring_cq_advance(&ring_, count);
    return count;
  }

 private:
  static constexpr unsigned kIdleMs = 1000;  // fio's; then the submitting thread sleeps
  // Since Linux 6.1: completions interrupt nobody; this thread collects them when it asks.
  static constexpr unsigned kDeferred = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN |
                                        IORING_SETUP_TASKRUN_FLAG | IORING_SETUP_SUBMIT_ALL;

  int create(unsigned entries, unsigned flags, int cpu) noexcept {
    io_uring_params params{};
    params.flags = flags;
    params.sq_thread_cpu = static_cast<unsigned>(cpu);
    params.sq_thread_idle = kIdleMs;
    return io_uring_queue_init_params(entries, &ring_, &params);
  }
  int call(unsigned submit, unsigned min, unsigned flags, std::int64_t timeout_ns) noexcept {
    const auto fd = static_cast<unsigned>(enter_fd_);
    flags |= enter_flags_;
    if (timeout_ns < 0) return io_uring_enter(fd, submit, min, flags, nullptr);
    __kernel_timespec timeout{timeout_ns / 1'000'000'000, timeout_ns % 1'000'000'000};
    io_uring_getevents_arg wait{};
    wait.ts = reinterpret_cast<std::uintptr_t>(&timeout);
    // With EXT_ARG the call takes this structure in the place of a signal set.
    auto* argument = reinterpret_cast<sigset_t*>(&wait);
    return io_uring_enter2(fd, submit, min, flags | IORING_ENTER_EXT_ARG, argument, sizeof wait);
  }

  io_uring ring_{};
  int enter_fd_ = -1;  // or the ring's registered number
  unsigned enter_flags_ = 0;
  std::int64_t enter_calls_ = 0;
  bool defers_ = false;
};

}  // namespace chronio

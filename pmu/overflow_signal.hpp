// overflow_signal.hpp: from the signal of an overflow to whom it concerns on that thread.
#pragma once

namespace chronio::pmu {

/// Who is told of overflows. on_overflow() runs in a signal handler: no allocation, no lock.
class OverflowSink {
 public:
  OverflowSink() = default;
  OverflowSink(const OverflowSink&) = delete;
  OverflowSink& operator=(const OverflowSink&) = delete;
  OverflowSink(OverflowSink&&) = delete;
  OverflowSink& operator=(OverflowSink&&) = delete;

  /// [hot] On the thread that overflowed, or under the lock of an OverflowMonitor on another.
  virtual void on_overflow() noexcept = 0;

 protected:
  ~OverflowSink() = default;
};

/// The real-time signal of overflows. SIGRTMIN + 3: a number of the C library's, so it is asked for
/// at run time.
[[nodiscard]] int overflow_signal() noexcept;

/// Whether a trap that comes while traps are blocked waits (Linux 5.19): before, it ends the
/// process. They are blocked in the handler, or overflows that come faster than a trap is delivered
/// would nest until the stack is used up.
[[nodiscard]] bool traps_can_wait() noexcept;

/// Installs the process's handlers of overflow_signal(), of SIGIO, which the kernel sends instead
/// when its queue is full, and of SIGTRAP. Once; later calls do nothing. They stay: a signal that
/// comes late would end the process. Any thread.
void install_overflow_handlers();

/// Whom overflows on the calling thread are told to; null: nobody, they are ignored. Unblocks the
/// signals on this thread. A signal that comes during the call finds the one before or the new one.
/// REQUIRES: install_overflow_handlers() was called; *sink lives until it is replaced.
void set_overflow_sink(OverflowSink* sink) noexcept;

}  // namespace chronio::pmu

// signal_storm.hpp: interrupts a thread's system calls over and over.
#pragma once

#include <csignal>
#include <cstdint>
#include <ctime>

namespace chronio::conformance {

/// Sends SIGUSR1 to the thread that made it, 5,000 times a second, while it lives. One at a time.
class SignalStorm {
 public:
  SignalStorm();
  SignalStorm(const SignalStorm&) = delete;
  SignalStorm& operator=(const SignalStorm&) = delete;
  SignalStorm(SignalStorm&&) = delete;
  SignalStorm& operator=(SignalStorm&&) = delete;
  ~SignalStorm();

  /// Signals that were handled, by all storms so far.
  [[nodiscard]] static std::uint64_t received() noexcept;

 private:
  struct sigaction before_ {};
  timer_t timer_{};
};

}  // namespace chronio::conformance

// signal_storm.hpp: interrupts a thread's system calls over and over.
#pragma once

#include <atomic>
#include <cstdint>
#include <signal.h>
#include <thread>

namespace chronio::conformance {

/// Sends SIGUSR1 to the thread that made it, about every 200 us, while it lives. One at a time.
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
  std::atomic<bool> stop_{false};
  struct sigaction before_ {};
  std::thread sender_;
};

}  // namespace chronio::conformance

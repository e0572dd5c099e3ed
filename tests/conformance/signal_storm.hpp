// signal_storm.hpp: interrupts a thread's system calls over and over.
#pragma once

#include <atomic>
#include <cstdint>
#include <pthread.h>
#include <signal.h>
#include <thread>

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
  void send_to(pthread_t target) const noexcept;

  std::atomic<bool> stop_{false};
  struct sigaction before_ {};
  std::thread sender_;
};

}  // namespace chronio::conformance

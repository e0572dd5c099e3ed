// signal_storm.cpp: a thread that sends signals, and the handler that counts them.
#include "tests/conformance/signal_storm.hpp"

#include <chrono>
#include <pthread.h>

namespace chronio::conformance {
namespace {

std::atomic<std::uint64_t> count{0};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);  // or a handler could not use it

void handle(int /*signal*/) { count.fetch_add(1, std::memory_order_relaxed); }

}  // namespace

SignalStorm::SignalStorm() {
  struct sigaction action {};
  action.sa_handler = handle;  // without SA_RESTART: system calls end with EINTR
  sigaction(SIGUSR1, &action, &before_);
  sender_ = std::thread([this, target = pthread_self()] {
    while (!stop_.load(std::memory_order_relaxed)) {
      pthread_kill(target, SIGUSR1);
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  });
}

SignalStorm::~SignalStorm() {
  stop_ = true;
  sender_.join();
  sigaction(SIGUSR1, &before_, nullptr);
}

std::uint64_t SignalStorm::received() noexcept { return count.load(std::memory_order_relaxed); }

}  // namespace chronio::conformance

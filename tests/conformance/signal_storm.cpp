// signal_storm.cpp: a thread that sends signals, and the handler that counts them.
#include "tests/conformance/signal_storm.hpp"

#include <chrono>
#include <pthread.h>
#include <sys/prctl.h>

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
  sender_ = std::thread([this, target = pthread_self()] { send_to(target); });
}

SignalStorm::~SignalStorm() {
  stop_ = true;
  sender_.join();
  sigaction(SIGUSR1, &before_, nullptr);
}

void SignalStorm::send_to(pthread_t target) const noexcept {
  prctl(PR_SET_TIMERSLACK, 1UL);  // ns; by default a sleep may take 50 us more
  auto next = std::chrono::steady_clock::now();
  while (!stop_.load(std::memory_order_relaxed)) {
    pthread_kill(target, SIGUSR1);
    next += std::chrono::microseconds(200);
    std::this_thread::sleep_until(next);  // not at all when it is late
  }
}

std::uint64_t SignalStorm::received() noexcept { return count.load(std::memory_order_relaxed); }

}  // namespace chronio::conformance

// signal_storm.cpp: a timer of the kernel's that sends signals, and the handler that counts them.
#include "tests/conformance/signal_storm.hpp"

#include <atomic>
#include <stdexcept>
#include <unistd.h>

namespace chronio::conformance {
namespace {

constexpr long kPeriodNs = 200'000;

std::atomic<std::uint64_t> count{0};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);  // or a handler could not use it

void handle(int /*signal*/) { count.fetch_add(1, std::memory_order_relaxed); }

}  // namespace

SignalStorm::SignalStorm() {
  struct sigaction action {};
  action.sa_handler = handle;  // without SA_RESTART: system calls end with EINTR
  sigaction(SIGUSR1, &action, &before_);
  sigevent to_me{};
  to_me.sigev_notify = SIGEV_THREAD_ID;
  to_me.sigev_signo = SIGUSR1;
  to_me._sigev_un._tid = gettid();
  const itimerspec often{{0, kPeriodNs}, {0, kPeriodNs}};
  // No thread that sends: on a busy machine it would wait for the CPU that the receiver has.
  if (timer_create(CLOCK_MONOTONIC, &to_me, &timer_) != 0 ||
      timer_settime(timer_, 0, &often, nullptr) != 0) {
    throw std::runtime_error("no timer that sends signals");
  }
}

SignalStorm::~SignalStorm() {
  timer_delete(timer_);
  // One signal may still be on its way, and its default is to end the process.
  before_.sa_handler = before_.sa_handler == SIG_DFL ? SIG_IGN : before_.sa_handler;
  sigaction(SIGUSR1, &before_, nullptr);
}

std::uint64_t SignalStorm::received() noexcept { return count.load(std::memory_order_relaxed); }

}  // namespace chronio::conformance

// gate.cpp: waiting and waking between workers and coordinator.
#include "runner/gate.hpp"

#include <cerrno>
#include <chrono>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>

namespace chronio::runner {

Gate::Gate() : wake_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (wake_fd_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
}

Gate::~Gate() { ::close(wake_fd_); }

void Gate::wake() noexcept {
  const std::uint64_t one = 1;
  // Full only after 2^64 wakes that nobody took: the descriptor is readable then all the same.
  [[maybe_unused]] const ssize_t n = ::write(wake_fd_, &one, sizeof one);
}

void Gate::clear() noexcept {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t n = ::read(wake_fd_, &count, sizeof count);
}

void Gate::arrive() {
  // First the number, then the waking: who wakes has to find it.
  arrived_.fetch_add(1, std::memory_order_release);
  wake();
}

void Gate::leave() {
  left_.fetch_add(1, std::memory_order_release);
  wake();
}

void Gate::open() {
  const std::lock_guard lock(mutex_);
  open_ = true;
  changed_.notify_all();
}

bool Gate::pass(std::uint64_t delay_ns) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return open_ || stopped(); });
  // Every worker of a job with startdelay= waits by itself from the common beginning, so no job
  // waits for another's delay.
  if (delay_ns != 0)
    changed_.wait_for(lock, std::chrono::nanoseconds(delay_ns), [&] { return stopped(); });
  return !stopped();
}

void Gate::stop() {
  const std::lock_guard lock(mutex_);
  // Under the mutex, though it is atomic: a worker between looking at it and sleeping would miss
  // the notification.
  stop_.store(true, std::memory_order_relaxed);
  changed_.notify_all();
}

}  // namespace chronio::runner

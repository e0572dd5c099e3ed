// gate.hpp: how the workers of a stage and the coordinator wait for each other.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace chronio::runner {

/// The line at which workers wait until all of a stage are ready, the flag that stops them, and the
/// descriptor by which they wake the coordinator.
class Gate {
 public:
  /// Throws std::system_error when there is no descriptor left.
  Gate();
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  Gate(Gate&&) = delete;
  Gate& operator=(Gate&&) = delete;

  /// Called by each worker, once: when it is set up or that failed; and leave() when it has ended,
  /// whatever became of it. Both wake the coordinator, who would else sleep on.
  void arrive();
  void leave();
  /// Workers so far. Who reads the number sees what they had written before.
  [[nodiscard]] std::size_t arrived() const noexcept {
    return arrived_.load(std::memory_order_acquire);
  }
  [[nodiscard]] std::size_t left() const noexcept { return left_.load(std::memory_order_acquire); }
  /// Readable after an arrive() or leave(); cleared by clear().
  [[nodiscard]] int wake_fd() const noexcept { return wake_fd_; }
  /// Never waits.
  void clear() noexcept;

  /// Lets the workers go, all at once. Once per gate.
  void open();
  /// Waits for open() and then for `delay_ns`, both cut short by stop(). False when stopped,
  /// whenever that was: who gets false does no I/O.
  [[nodiscard]] bool pass(std::uint64_t delay_ns);
  /// From any thread, as often as one likes; nothing starts it again.
  void stop();
  /// [hot] On a cache line of its own, which nobody writes until the end: reading it costs a hit.
  /// Relaxed: nothing else is published with it.
  [[nodiscard]] bool stopped() const noexcept { return stop_.load(std::memory_order_relaxed); }
  /// The same flag for a loop to keep at hand.
  [[nodiscard]] const std::atomic<bool>& stop_flag() const noexcept { return stop_; }

 private:
  void wake() noexcept;

  int wake_fd_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  std::atomic<std::size_t> arrived_{0}, left_{0};
  alignas(64) std::atomic<bool> stop_{false};
};

}  // namespace chronio::runner

// overflow_monitor.hpp: a thread that waits for overflows of another one: for where signals can't
// be had.
#pragma once

#include "pmu/overflow_signal.hpp"
#include "pmu/perf_event.hpp"

#include <cstddef>
#include <mutex>
#include <poll.h>
#include <thread>
#include <vector>

namespace chronio::pmu {

/// Tells a sink of overflows, from a thread of its own, under lock().
class OverflowMonitor {
 public:
  explicit OverflowMonitor(OverflowSink& sink) noexcept : sink_(sink) {}
  ~OverflowMonitor();
  OverflowMonitor(const OverflowMonitor&) = delete;
  OverflowMonitor& operator=(const OverflowMonitor&) = delete;
  OverflowMonitor(OverflowMonitor&&) = delete;
  OverflowMonitor& operator=(OverflowMonitor&&) = delete;

  /// Watches the leaders of groups, opened with Notify::poll. 0 or -errno.
  [[nodiscard]] int start(const std::vector<int>& leaders);

  /// Held while the sink is told: take it around whatever else touches the same data.
  [[nodiscard]] std::mutex& lock() noexcept { return mutex_; }

 private:
  void watch();
  /// For overflows, or for the end: false.
  [[nodiscard]] bool wait();

  OverflowSink& sink_;
  Descriptor stop_;
  std::vector<void*> rings_;  ///< without a ring a leader always polls as hung up
  std::vector<pollfd> fds_;   ///< the leaders, then stop_
  std::mutex mutex_;
  std::thread thread_;
};

}  // namespace chronio::pmu

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

/// Tells a sink of overflows, from a thread of its own, under lock(). Slower than a signal: on a
/// busy machine of two CPUs the next group was armed 50 us after the overflow, or 5 ms in one of a
/// hundred cases. The counted thread runs on meanwhile.
class OverflowMonitor {
 public:
  /// `sink` outlives this; nothing is told before start().
  explicit OverflowMonitor(OverflowSink& sink) noexcept : sink_(sink) {}
  /// Returns when the sink is told no more.
  ~OverflowMonitor();
  OverflowMonitor(const OverflowMonitor&) = delete;
  OverflowMonitor& operator=(const OverflowMonitor&) = delete;
  OverflowMonitor(OverflowMonitor&&) = delete;
  OverflowMonitor& operator=(OverflowMonitor&&) = delete;

  /// [setup] Watches the leaders of groups, opened with Notify::poll. Maps two pages for each
  /// leader. 0 or -errno: ENOBUFS where these are too many, EAGAIN where no thread is to be had.
  /// The leaders stay open until this is destroyed.
  /// REQUIRES: called once.
  [[nodiscard]] int start(const std::vector<int>& leaders);

  /// Held while the sink is told: take it around whatever else touches the same data.
  [[nodiscard]] std::mutex& lock() noexcept { return mutex_; }

 private:
  /// The thread's body; takes no heap.
  void watch();
  /// For overflows, or for the end: false.
  [[nodiscard]] bool wait();

  OverflowSink& sink_;
  /// eventfd(2), written to by the destructor.
  Descriptor stop_;
  std::vector<void*> rings_;  ///< without a ring a leader always polls as hung up
  /// A leader that is left out for a while has its descriptor inverted.
  std::vector<pollfd> fds_;  ///< the leaders, then stop_
  std::mutex mutex_;
  std::thread thread_;
};

}  // namespace chronio::pmu

// steady_group.hpp: events that count from begin to end, without taking turns.
#pragma once

#include "pmu/perf_event.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace chronio::pmu {

/// All calls by the thread that is counted, but for stop().
class SteadyGroup {
 public:
  /// Opens the events, stopped. `pinned`: they count throughout or not at all; else the kernel may
  /// let them take turns with others. 0 or -errno; -EBUSY when they did not get their counters.
  /// Lets them run for a moment: a group that opens may still get no counters.
  /// REQUIRES: at least one event, at most GroupReading::kMost; called once.
  [[nodiscard]] int open(const std::vector<const Event*>& events, bool pinned);

  /// Remembers the counts so far and starts; nothing is reset.
  void begin() noexcept;
  /// Counts on, without a new beginning.
  void start() noexcept;
  /// Also from another thread.
  void stop() noexcept;
  /// Reads what was counted between begin() and stop().
  void read() noexcept;
  void close() noexcept { events_.clear(); }

  /// As of the last read(); `event` counts from 0 in the order of open().
  [[nodiscard]] std::uint64_t counted(std::size_t event) const noexcept {
    return last_.value[event] - first_.value[event];
  }
  /// ns that the thread was on a CPU between begin() and stop(); running_ns(): of it, with the
  /// group on counters. Both the same: counted throughout.
  [[nodiscard]] std::uint64_t enabled_ns() const noexcept {
    return last_.enabled_ns - first_.enabled_ns;
  }
  [[nodiscard]] std::uint64_t running_ns() const noexcept {
    return last_.running_ns - first_.running_ns;
  }

 private:
  std::vector<Descriptor> events_;
  /// At begin() and at the last read().
  GroupReading first_, last_;
};

}  // namespace chronio::pmu

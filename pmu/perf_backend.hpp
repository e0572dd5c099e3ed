// perf_backend.hpp: the groups that the rotator switches, as perf events of the calling thread.
#pragma once

#include "pmu/perf_event.hpp"
#include "pmu/window.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace chronio::pmu {

/// One group per window: its leader is the trigger, which overflows; its members only count. At
/// most one group is enabled, so the kernel has nothing to rotate. Made, armed and harvested by the
/// counted thread, or under the lock of its OverflowMonitor.
class PerfBackend {
 public:
  /// `signal`: for Notify::signal.
  PerfBackend(Notify notify, int signal) noexcept : notify_(notify), signal_(signal) {}

  /// [setup] Opens one more group, disabled, with one descriptor for each event. 0, or the -errno
  /// of the first event that could not be opened. `period`: trigger events, until arm() says
  /// otherwise.
  /// REQUIRES: at most kMaxMembers members.
  [[nodiscard]] int add_group(const Event& trigger, const std::vector<const Event*>& members,
                              std::uint64_t period);
  /// Undoes the last add_group().
  void remove_group() { groups_.pop_back(); }
  /// No group is left then, and none may be armed.
  void close() noexcept { groups_.clear(); }

  [[nodiscard]] std::size_t groups() const noexcept { return groups_.size(); }
  /// The trigger's descriptor, which stays this object's.
  [[nodiscard]] int leader(std::size_t group) const noexcept {
    return groups_[group].events[0].get();
  }

  // CountingBackend; async-signal-safe. The count of a window that can't be read is that of one
  // without counters: it is dropped.
  void arm(std::size_t group, std::uint64_t period) noexcept;
  [[nodiscard]] Window harvest(std::size_t group) noexcept;

  /// The kernel found no counters for a group when it was armed, or when the thread got a CPU. It
  /// won't overflow until it is armed anew. Any thread.
  [[nodiscard]] bool starves() const noexcept;

  /// Calls of the kernel that failed. Each may have cost a window. Not for another thread while
  /// groups are switched.
  [[nodiscard]] std::uint64_t errors() const noexcept { return errors_; }

 private:
  struct Group {
    std::vector<Descriptor> events;  ///< the trigger first
    /// At the last harvest: windows are differences, and nothing is ever reset.
    GroupReading last;
  };

  Notify notify_;
  int signal_;
  std::vector<Group> groups_;
  std::uint64_t errors_ = 0;
};

}  // namespace chronio::pmu

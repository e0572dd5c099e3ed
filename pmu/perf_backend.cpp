// perf_backend.cpp: opening, arming and harvesting groups.
#include "pmu/perf_backend.hpp"

#include <algorithm>
#include <cerrno>

namespace chronio::pmu {

int PerfBackend::add_group(const Event& trigger, const std::vector<const Event*>& members,
                           std::uint64_t period) {
  Group group;
  OpenAs as;
  as.disabled = true;
  // On its counters whole, or not at all: with a part of the time only, a window would be no
  // window.
  as.pinned = true;
  as.period = period;
  as.notify = notify_;
  as.signal = signal_;
  const int leader = open_event(trigger, as);
  if (leader < 0) return leader;
  group.events.emplace_back(leader);
  for (const Event* member : members) {
    OpenAs inside;
    inside.leader = leader;
    // Members need neither switch nor pin: the leader starts and stops them all.
    const int fd = open_event(*member, inside);
    if (fd < 0) return fd;
    group.events.emplace_back(fd);
  }
  groups_.push_back(std::move(group));
  return 0;
}

void PerfBackend::arm(std::size_t group, std::uint64_t period) noexcept {
  const int fd = leader(group);
  // Also where the period is the same: what is left of the last one must not shorten this window.
  if (set_period(fd, period) != 0) ++errors_;
  // Never PERF_EVENT_IOC_REFRESH: kernels of 2025 hang with it when the trigger is a clock, and
  // breakpoints and tracepoints count no more after their second refresh.
  if (enable_group(fd) != 0) ++errors_;
}

Window PerfBackend::harvest(std::size_t group) noexcept {
  // Enabled for longer than it ran, so the rotator drops it.
  constexpr Window kUnread = {.trigger = 0, .enabled_ns = 1, .running_ns = 0, .value = {}};
  Group& from = groups_[group];
  const int fd = leader(group);
  // Before reading: what the handler itself does must not be in the window.
  if (disable_group(fd) != 0) ++errors_;
  GroupReading now;
  if (read_group(fd, now) != 0) {
    ++errors_;
    return kUnread;
  }
  Window window;
  window.trigger = now.value[0] - from.last.value[0];
  window.enabled_ns = now.enabled_ns - from.last.enabled_ns;
  window.running_ns = now.running_ns - from.last.running_ns;
  for (std::size_t i = 1; i < from.events.size(); ++i)
    window.value[i - 1] = now.value[i] - from.last.value[i];
  // Differences, not PERF_EVENT_IOC_RESET: that leaves the times as they are.
  from.last = now;
  return window;
}

bool PerfBackend::starves() const noexcept {
  GroupReading unused;
  return std::ranges::any_of(groups_, [&unused](const Group& group) {
    // Reading changes nothing, so this may be asked while the owner switches.
    return read_group(group.events[0].get(), unused) == -EBUSY;
  });
}

}  // namespace chronio::pmu

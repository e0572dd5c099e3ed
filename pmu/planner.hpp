// planner.hpp: sorts events into groups that fit the counters. The same list gives the same groups.
#pragma once

#include "pmu/estimate.hpp"
#include "pmu/event_list.hpp"
#include "pmu/window.hpp"

#include <cstddef>
#include <vector>

namespace chronio::pmu {

/// At most `width` and kMaxMembers events.
struct PlannedGroup {
  std::size_t trigger = 0;           ///< index into GroupPlan::triggers
  std::vector<std::size_t> members;  ///< indexes into GroupPlan::events
};

/// Each event is in exactly one of the three lists of indexes.
struct GroupPlan {
  std::vector<Event> events;           ///< as asked for, in order
  std::vector<Event> triggers;         ///< at least the job's
  std::vector<PlannedGroup> rotating;  ///< in the order of `events`
  std::vector<std::size_t> always;     ///< software events: they take no counter
  /// Events that the trigger counts anyway; none where groups have different triggers.
  std::vector<std::size_t> counts_trigger;
};

/// [setup] `width` is how many hardware events fit beside the trigger. Events of a metric (cycles
/// and instructions, misses and references) share a group where they fit. Braces are kept, and
/// split in order where they are too wide; software events rotate only between them. First fit, so
/// not always the fewest groups.
/// REQUIRES: width > 0.
[[nodiscard]] GroupPlan plan_groups(const std::vector<ListedGroup>& list, const Event& trigger,
                                    std::size_t width);

}  // namespace chronio::pmu

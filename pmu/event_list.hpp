// event_list.hpp: the list of events that a job asks for: names, named groups, braces, triggers.
#pragma once

#include "pmu/event.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace chronio::pmu {

/// Part of a list: events between braces stay one group and count on nothing but each other; others
/// may be sorted into groups as fits. Never empty after parse_events().
struct ListedGroup {
  /// Each different from all others of the list.
  std::vector<Event> events;
  bool braced = false;
  std::optional<Event> trigger;  ///< whose overflow ends this group's windows; absent: the job's
};

/// After an error `groups` holds what stood before it, and is of no use.
struct EventList {
  std::vector<ListedGroup> groups;
  std::string error;   ///< what is wrong with `text`; empty when nothing is
  std::size_t at = 0;  ///< byte of `text` where the mistake begins
};

/// [setup] `text` is items between commas. An item is an event (find_event), a named group, or
/// events between braces, each with "@TRIGGER" behind it where the job's trigger is not the right
/// one: "default,{LLC-loads,LLC-load-misses}@cycles,page-faults". Events that stand there twice are
/// taken once. Stops at the first mistake. One inside a named group is told at its name.
[[nodiscard]] EventList parse_events(std::string_view text, const std::string& sysfs = "/sys");

/// Name of a named group, and its events between commas. In the order in which help lists them.
[[nodiscard]] std::span<const std::pair<std::string_view, std::string_view>> named_groups();

}  // namespace chronio::pmu

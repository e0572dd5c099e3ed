// event_list.cpp: splits a list of events at its commas, braces and triggers.
#include "pmu/event_list.hpp"

#include <algorithm>

namespace chronio::pmu {
namespace {

/// `default` is small enough for the counters of most processors, so that nothing has to take turns
/// unless somebody asks for more.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kNamedGroups = {{
    {"default", "instructions,cycles,branch-misses,cache-misses"},
    {"cache",
     "L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses,dTLB-loads,"
     "dTLB-load-misses"},
    {"branch", "branches,branch-misses"},
    {"split", "instructions:u,instructions:k,cycles:u,cycles:k"},
    {"stall", "cycles,stalled-cycles-frontend,stalled-cycles-backend"},
    {"os", "task-clock,context-switches,cpu-migrations,minor-faults,major-faults"},
    {"all",
     "instructions,cycles,branches,branch-misses,cache-references,cache-misses,L1-dcache-loads,"
     "L1-dcache-load-misses,LLC-loads,LLC-load-misses,dTLB-loads,dTLB-load-misses,"
     "stalled-cycles-frontend,stalled-cycles-backend,instructions:u,instructions:k,cycles:u,"
     "cycles:k,task-clock,context-switches,cpu-migrations,minor-faults,major-faults"},
}};

/// End of the item that begins at `from`: the next comma outside braces and slashes. Commas between
/// slashes separate fields of one event: cpu/event=0x3c,umask=0/.
std::size_t item_end(std::string_view text, std::size_t from) {
  bool in_braces = false, in_slashes = false;
  for (std::size_t at = from; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '/') in_slashes = !in_slashes;
    if (c == '{' || c == '}') in_braces = c == '{';
    if (c == ',' && !in_braces && !in_slashes) return at;
  }
  return text.size();
}

/// Empty: there is no group of that name.
std::string_view events_of(std::string_view name) {
  const auto* const row = std::find_if(kNamedGroups.begin(), kNamedGroups.end(),
                                       [&](const auto& known) { return known.first == name; });
  return row == kNamedGroups.end() ? std::string_view() : row->second;
}

class ListReader {
 public:
  ListReader(std::string_view text, const std::string& sysfs) : text_(text), sysfs_(sysfs) {}

  EventList read() {
    // Up to the end included, where an item may be missing.
    for (std::size_t from = 0; from <= text_.size() && list_.error.empty();) {
      const std::size_t end = item_end(text_, from);
      read_item(from, end);
      from = end + 1;
    }
    return std::move(list_);
  }

 private:
  void fail(std::size_t at, std::string error) {
    list_.error = std::move(error);
    list_.at = at;
  }

  /// Takes "@TRIGGER" off the item's end, which moves to where it began.
  std::optional<Event> read_trigger(std::size_t from, std::size_t& end) {
    // The last one: no event has the sign in its name.
    const std::size_t sign = text_.substr(0, end).rfind('@');
    if (sign == std::string_view::npos || sign < from) return std::nullopt;
    FoundEvent found = find_event(text_.substr(sign + 1, end - sign - 1), sysfs_);
    if (!found.event) fail(sign + 1, std::move(found.error));
    end = sign;
    return std::move(found.event);
  }

  void read_item(std::size_t from, std::size_t end) {
    ListedGroup group;
    group.trigger = read_trigger(from, end);
    const std::string_view item = text_.substr(from, end - from);
    if (!list_.error.empty()) return;
    // Also behind a last comma: a list that was cut off should not pass for a whole one.
    if (item.empty()) return fail(from, "an event is missing");
    if (item.front() == '{') {
      if (item.back() != '}') return fail(from, "the brace is not closed");
      if (item.size() == 2) return fail(from, "the group {} is empty: events stand in its braces");
      group.braced = true;
      read_events(group, item.substr(1, item.size() - 2), from + 1);
    } else if (const std::string_view events = events_of(item); !events.empty()) {
      read_events(group, events, from);
    } else {
      read_events(group, item, from);
    }
    add(std::move(group));
  }

  void read_events(ListedGroup& group, std::string_view names, std::size_t place) {
    for (std::size_t from = 0; from <= names.size();) {
      const std::size_t end = item_end(names, from);
      FoundEvent found = find_event(names.substr(from, end - from), sysfs_);
      const bool inside = names.data() >= text_.data() &&  // or it is of a named group
                          names.data() < text_.data() + text_.size();
      if (!found.event) return fail(inside ? place + from : place, std::move(found.error));
      // Twice it would take two counters and tell one figure.
      if (!known(*found.event, group)) group.events.push_back(std::move(*found.event));
      from = end + 1;
    }
  }

  [[nodiscard]] bool known(const Event& event, const ListedGroup& group) const {
    const auto holds = [&](const ListedGroup& one) {
      return std::any_of(one.events.begin(), one.events.end(),
                         [&](const Event& other) { return same_event(event, other); });
    };
    return holds(group) || std::any_of(list_.groups.begin(), list_.groups.end(), holds);
  }

  /// Loose events of one trigger become one group, which the planner sorts.
  void add(ListedGroup group) {
    // All of it stood further in front already.
    if (group.events.empty()) return;
    // Not across braces or triggers: the planner would mix what is to stay apart.
    const bool joins = !list_.groups.empty() && !group.braced && !list_.groups.back().braced &&
                       !group.trigger && !list_.groups.back().trigger;
    if (!joins) return list_.groups.push_back(std::move(group));
    std::move(group.events.begin(), group.events.end(),
              std::back_inserter(list_.groups.back().events));
  }

  std::string_view text_;
  const std::string& sysfs_;
  EventList list_;
};

}  // namespace

EventList parse_events(std::string_view text, const std::string& sysfs) {
  return ListReader(text, sysfs).read();
}

std::span<const std::pair<std::string_view, std::string_view>> named_groups() {
  return kNamedGroups;
}

}  // namespace chronio::pmu

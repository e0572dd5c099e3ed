// planner.cpp: first fit, in the order of the list, of events that belong together.
#include "pmu/planner.hpp"

#include <algorithm>

namespace chronio::pmu {
namespace {

/// The name without ":u" or ":k", and that suffix.
std::pair<std::string_view, std::string_view> parts(std::string_view name) {
  const bool suffixed = name.ends_with(":u") || name.ends_with(":k");
  const std::size_t end = name.size() - (suffixed ? 2 : 0);
  return {name.substr(0, end), name.substr(end)};
}

bool make_metric(const Event& a, const Event& b) {
  const auto [name_a, mode_a] = parts(a.name);
  const auto [name_b, mode_b] = parts(b.name);
  // Of instructions in one mode and cycles of both no ratio means anything.
  if (mode_a != mode_b) return false;
  return std::any_of(kMetrics.begin(), kMetrics.end(),
                     [&, first = name_a, second = name_b](const Metric& metric) {
                       return (first == metric.numerator && second == metric.denominator) ||
                              (second == metric.numerator && first == metric.denominator);
                     });
}

/// One pass, no search for the best packing: the same list has to give the same groups, also to a
/// reader who wonders why.
class Sorter {
 public:
  Sorter(const Event& trigger, std::size_t width, bool one_trigger)
      : width_(std::min(width, kMaxMembers)), one_trigger_(one_trigger) {
    plan_.triggers.push_back(trigger);
  }

  void add(const ListedGroup& listed) {
    trigger_ = trigger_index(listed);
    std::vector<std::size_t> rest;
    for (const Event& event : listed.events) {
      const std::size_t index = plan_.events.size();
      plan_.events.push_back(event);
      // It counts in every window of every group, which together are the whole.
      if (one_trigger_ && same_event(event, plan_.triggers[0]))
        plan_.counts_trigger.push_back(index);
      // It takes no counter: rotating it would only make it less exact.
      else if (event.software && !listed.braced)
        plan_.always.push_back(index);
      else
        rest.push_back(index);
    }
    // What stands between braces is to be alone, so loose events begin behind it.
    open_ = listed.braced ? plan_.rotating.size() : first_open_;
    if (listed.braced)
      for (std::size_t from = 0; from < rest.size(); from += width_)
        put({rest.begin() + static_cast<std::ptrdiff_t>(from),
             rest.begin() + static_cast<std::ptrdiff_t>(std::min(from + width_, rest.size()))},
            true);
    else
      put_loose(rest);
  }

  GroupPlan take() { return std::move(plan_); }

 private:
  std::size_t trigger_index(const ListedGroup& listed) {
    if (!listed.trigger) return 0;
    for (std::size_t i = 0; i < plan_.triggers.size(); ++i)
      if (same_event(plan_.triggers[i], *listed.trigger)) return i;
    plan_.triggers.push_back(*listed.trigger);
    return plan_.triggers.size() - 1;
  }

  /// Each event with those later ones that make a metric with it or with one of them.
  void put_loose(std::vector<std::size_t> rest) {
    while (!rest.empty()) {
      std::vector<std::size_t> family = {rest.front()};
      rest.erase(rest.begin());
      for (std::size_t i = 0; i < family.size(); ++i)
        for (auto next = rest.begin(); next != rest.end();) {
          // Wider families than a group are split: a ratio of two groups is less certain, but still
          // a ratio.
          const bool joins =
              family.size() < width_ && make_metric(plan_.events[family[i]], plan_.events[*next]);
          if (joins) family.push_back(*next);
          next = joins ? rest.erase(next) : next + 1;
        }
      put(family, false);
    }
  }

  /// Into the first group of this part of the list with room for all of `family`, or a new one.
  void put(const std::vector<std::size_t>& family, bool alone) {
    for (std::size_t i = open_; i < plan_.rotating.size() && !alone; ++i) {
      PlannedGroup& group = plan_.rotating[i];
      if (group.trigger != trigger_ || group.members.size() + family.size() > width_) continue;
      group.members.insert(group.members.end(), family.begin(), family.end());
      return;
    }
    plan_.rotating.push_back({trigger_, family});
    if (alone) first_open_ = plan_.rotating.size();  // braces: nothing else comes in
  }

  GroupPlan plan_;
  std::size_t width_;
  bool one_trigger_;
  std::size_t trigger_ = 0;
  std::size_t open_ = 0, first_open_ = 0;
};

}  // namespace

GroupPlan plan_groups(const std::vector<ListedGroup>& list, const Event& trigger,
                      std::size_t width) {
  // With several triggers none of them counts all of the time.
  const bool one_trigger = std::none_of(list.begin(), list.end(), [&](const ListedGroup& listed) {
    return listed.trigger && !same_event(*listed.trigger, trigger);
  });
  Sorter sorter(trigger, width, one_trigger);
  for (const ListedGroup& listed : list) sorter.add(listed);
  return sorter.take();
}

}  // namespace chronio::pmu

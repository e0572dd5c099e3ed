// merge_pmu.cpp: sums over threads of what was counted.
#include "results/merge_pmu.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

namespace chronio::results {
namespace {

using pmu::EventCount;
using pmu::Status;

/// exact < ok < insufficient < the ones without a total.
Status worse(Status a, Status b) noexcept { return std::max(a, b); }

/// Part of a total would look like all of it.
std::optional<std::uint64_t> sum(std::optional<std::uint64_t> a, std::optional<std::uint64_t> b) {
  if (!a || !b) return std::nullopt;
  return *a + *b;
}

/// Half widths of independent estimates. Variances of independent estimates add, so half widths add
/// as the sides of a right triangle. Rounded up, for an interval must not become narrower.
std::optional<std::uint64_t> in_quadrature(std::optional<std::uint64_t> a,
                                           std::optional<std::uint64_t> b) {
  if (!a || !b) return std::nullopt;
  const double width = std::hypot(static_cast<double>(*a), static_cast<double>(*b));
  return static_cast<std::uint64_t>(std::ceil(std::min(width, 9e18)));
}

/// Mean by weight; without any weight the worse of the two.
double weighed(double a, std::uint64_t weight_a, double b, std::uint64_t weight_b) {
  const auto whole = static_cast<double>(weight_a) + static_cast<double>(weight_b);
  if (whole <= 0) return std::max(a, b);
  return (a * static_cast<double>(weight_a) + b * static_cast<double>(weight_b)) / whole;
}

void merge(EventCount& into, const EventCount& from) {
  // First: its weights are times that are added below.
  into.coverage = weighed(into.coverage, into.time_enabled_ns, from.coverage, from.time_enabled_ns);
  // That of the worse status: why there is no total, not why one of the two has no interval.
  if (into.reason.empty() || (from.status > into.status && !from.reason.empty()))
    into.reason = from.reason;
  into.status = worse(into.status, from.status);
  // Workers may have been given other groups: then there is no group to name.
  if (into.group != from.group) into.group.reset();
  into.windows += from.windows;
  into.counted += from.counted;
  into.time_enabled_ns += from.time_enabled_ns;
  into.time_running_ns += from.time_running_ns;
  into.counted_ns += from.counted_ns;
  into.total = sum(into.total, from.total);
  into.ci95 = in_quadrature(into.ci95, from.ci95);
}

/// The event as it is told of threads that did not count it: without a total.
EventCount uncounted() {
  EventCount none;
  none.reason = "not all threads of the group counted it";
  return none;
}

const EventCount* find(const pmu::Counts& counts, const std::string& name) {
  const auto event = std::find_if(counts.events.begin(), counts.events.end(),
                                  [&](const EventCount& each) { return each.name == name; });
  return event == counts.events.end() ? nullptr : &*event;
}

/// Events of both sides, whichever comes first; with the reason of the first that one side lacks.
void merge_events(pmu::Counts& into, const pmu::Counts& from) {
  std::string lacking;
  const auto add_uncounted = [&lacking](EventCount& event) {
    merge(event, uncounted());
    if (lacking.empty()) lacking = event.name + ": " + event.reason;
  };
  for (EventCount& event : into.events) {
    const EventCount* other = find(from, event.name);
    if (other != nullptr)
      merge(event, *other);
    else
      add_uncounted(event);
  }
  for (const EventCount& event : from.events)
    if (find(into, event.name) == nullptr) add_uncounted(into.events.emplace_back(event));
  if (into.reason.empty()) into.reason = from.reason.empty() ? lacking : from.reason;
}

void merge(std::optional<pmu::TriggerUse>& into, const std::optional<pmu::TriggerUse>& from) {
  if (!into || !from) return into.reset();
  if (into->event != from->event) return into.reset();
  into->period = std::max(into->period, from->period);
  into->total += from->total;
  into->calibrated = into->calibrated && from->calibrated;
  into->stretched = std::max(into->stretched, from->stretched);
}

/// What is left out stands behind "; ", part by part: that of both sides, each once.
void merge_scope(std::string& into, std::string_view from) {
  while (!from.empty()) {
    const std::string_view part = from.substr(0, from.find("; "));
    if (into.find(part) == std::string::npos) into.append(into.empty() ? "" : "; ").append(part);
    from.remove_prefix(std::min(part.size() + 2, from.size()));
  }
}

/// Empty: nothing was counted there.
void merge_domain(std::string& into, const std::string& from) {
  if (into.empty())
    into = from;
  else if (!from.empty() && from != into)
    into = "mixed";
}

template <class T>
void take_greater(std::optional<T>& into, const std::optional<T>& from) {
  if (from && (!into || *into < *from)) into = from;
}

}  // namespace

void merge(pmu::Counts& into, const pmu::Counts& from, std::uint64_t into_cpu_ns,
           std::uint64_t from_cpu_ns) {
  // A worker that did not count, as one that failed before it could, has nothing to tell but that.
  if (into.mode == pmu::Mode::off && from.mode != pmu::Mode::off) {
    const pmu::Counts nothing = std::exchange(into, from);
    return merge(into, nothing, from_cpu_ns, into_cpu_ns);
  }
  merge_events(into, from);
  into.available = std::any_of(into.events.begin(), into.events.end(),
                               [](const EventCount& event) { return event.total.has_value(); });
  merge_scope(into.scope, from.scope);
  merge_domain(into.domain, from.domain);
  if (into.mode != from.mode) into.mode = std::max(into.mode, from.mode);
  merge(into.trigger, from.trigger);
  into.switches += from.switches;
  into.windows_dropped += from.windows_dropped;
  into.spurious += from.spurious;
  // Percentiles of two threads have no sum; the greater is an upper bound of both.
  take_greater(into.handler_p50_ns, from.handler_p50_ns);
  take_greater(into.handler_p99_ns, from.handler_p99_ns);
  take_greater(into.package_energy_uj, from.package_energy_uj);  // one machine: not a sum
  if (into.overhead_percent && from.overhead_percent)
    into.overhead_percent =
        weighed(*into.overhead_percent, into_cpu_ns, *from.overhead_percent, from_cpu_ns);
  else
    into.overhead_percent.reset();
  into.log.reset();  // windows of several threads are no series
}

}  // namespace chronio::results

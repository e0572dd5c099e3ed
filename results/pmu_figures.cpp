// pmu_figures.cpp: per I/O, per ms, ratios of events.
#include "results/pmu_figures.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace chronio::results {
namespace {

using pmu::EventCount;

/// Null also for an event without a total.
const EventCount* find(const pmu::Counts& counts, const std::string& name) {
  const auto event = std::find_if(counts.events.begin(), counts.events.end(),
                                  [&](const EventCount& each) { return each.name == name; });
  return event == counts.events.end() || !event->total ? nullptr : &*event;
}

/// The interval's half width over the total; nothing without an interval.
std::optional<double> relative(const EventCount& event) {
  // Before the division: a total of 0 that was counted throughout is exact.
  if (event.ci95 == 0U) return 0;
  if (!event.ci95 || !event.total || *event.total == 0) return std::nullopt;
  return static_cast<double>(*event.ci95) / static_cast<double>(*event.total);
}

std::optional<WithInterval> ratio(const EventCount* numerator, const EventCount* denominator) {
  if (numerator == nullptr || denominator == nullptr || *denominator->total == 0)
    return std::nullopt;
  WithInterval out;
  out.value = static_cast<double>(*numerator->total) / static_cast<double>(*denominator->total);
  const auto above = relative(*numerator);
  const auto below = relative(*denominator);
  // Relative errors of independent figures add in quadrature, to first order.
  if (above && below) out.ci95 = out.value * std::hypot(*above, *below);
  return out;
}

}  // namespace

std::uint64_t all_ios(const Job& job) noexcept {
  std::uint64_t ios = 0;
  for (const Direction& direction : job.directions) ios += direction.total_ios;
  return ios;
}

std::optional<WithInterval> per_io(const EventCount& event, std::uint64_t ios) {
  if (!event.total || ios == 0) return std::nullopt;
  const auto n = static_cast<double>(ios);
  WithInterval out;
  out.value = static_cast<double>(*event.total) / n;
  if (event.ci95) out.ci95 = static_cast<double>(*event.ci95) / n;
  return out;
}

// 1e6: ns to ms.
std::optional<double> rate_per_ms(const EventCount& event) {
  if (event.counted_ns == 0) return std::nullopt;
  return static_cast<double>(event.counted) * 1e6 / static_cast<double>(event.counted_ns);
}

std::optional<double> time_scaled(const EventCount& event) {
  if (event.counted_ns == 0) return std::nullopt;
  return static_cast<double>(event.counted) * static_cast<double>(event.time_enabled_ns) /
         static_cast<double>(event.counted_ns);
}

std::vector<MetricFigure> metric_figures(const pmu::Counts& counts) {
  std::vector<MetricFigure> out;
  for (const pmu::Metric& metric : pmu::kMetrics) {
    // Never across modes: cycles of the kernel say nothing of instructions in user mode.
    for (const char* mode : {"", ":u", ":k"}) {
      const auto figure = ratio(find(counts, std::string(metric.numerator) + mode),
                                find(counts, std::string(metric.denominator) + mode));
      if (figure) out.push_back({std::string(metric.name) + mode, *figure});
    }
  }
  return out;
}

std::optional<double> half_width_percent(const EventCount& event) {
  const auto share = relative(event);
  return share ? std::optional(*share * 100) : std::nullopt;
}

}  // namespace chronio::results

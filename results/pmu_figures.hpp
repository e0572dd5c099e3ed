// pmu_figures.hpp: figures that every writer derives in one way from counted events.
#pragma once

#include "results/run.hpp"

#include <optional>
#include <string>
#include <vector>

namespace chronio::results {

/// I/Os of all directions that completed without error; syncs are not among them.
[[nodiscard]] std::uint64_t all_ios(const Job& job) noexcept;

/// A figure, and the half width of its 95 % interval in the same unit, where there is one.
struct WithInterval {
  double value = 0;
  std::optional<double> ci95;
};

/// The event's total by `ios`, I/Os of the measured part; nothing without a total or without I/Os.
[[nodiscard]] std::optional<WithInterval> per_io(const pmu::EventCount& event, std::uint64_t ios);

/// Events per ms of the CPU time in which they were counted; nothing when there was none. A rate
/// while counted, so it needs no estimate.
[[nodiscard]] std::optional<double> rate_per_ms(const pmu::EventCount& event);

/// What was counted, in proportion to CPU time, as perf would state it: count times enabled by
/// counted time. For comparison with `total`. Nothing when it was never counted. Source:
/// perf_event_open(2), time_enabled and time_running.
[[nodiscard]] std::optional<double> time_scaled(const pmu::EventCount& event);

/// A ratio of two events by its name in pmu::kMetrics; a plain number, not a percentage.
struct MetricFigure {
  std::string name;  ///< "ipc", "branch-miss-rate", ...; ":u" or ":k" as its events
  WithInterval figure;
};

/// Ratios of two events that both have a total, in the same mode: all, user or kernel. Their
/// intervals are taken as independent, so a ratio of two that vary together is narrower in truth.
[[nodiscard]] std::vector<MetricFigure> metric_figures(const pmu::Counts& counts);

/// Half width of an event's interval over its total, in percent; nothing without an interval. 0 for
/// an interval of no width, also of a total of 0.
[[nodiscard]] std::optional<double> half_width_percent(const pmu::EventCount& event);

}  // namespace chronio::results

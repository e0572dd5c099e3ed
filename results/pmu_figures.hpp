// pmu_figures.hpp: figures that every writer derives in one way from counted events.
#pragma once

#include "results/run.hpp"

#include <optional>
#include <string>
#include <vector>

namespace chronio::results {

/// I/Os of all directions.
[[nodiscard]] std::uint64_t all_ios(const Job& job) noexcept;

/// A figure, and the half width of its 95 % interval where there is one.
struct WithInterval {
  double value = 0;
  std::optional<double> ci95;
};

/// The event's total by `ios`; nothing without a total or without I/Os.
[[nodiscard]] std::optional<WithInterval> per_io(const pmu::EventCount& event, std::uint64_t ios);

/// Events per ms of the CPU time in which they were counted; nothing when there was none.
[[nodiscard]] std::optional<double> rate_per_ms(const pmu::EventCount& event);

/// What was counted, in proportion to CPU time, as perf would state it.
[[nodiscard]] std::optional<double> time_scaled(const pmu::EventCount& event);

struct MetricFigure {
  std::string name;  ///< "ipc", "branch-miss-rate", ...; ":u" or ":k" as its events
  WithInterval figure;
};

/// Ratios of two events that both have a total. Their intervals are taken as independent, so a
/// ratio of two that vary together is narrower in truth.
[[nodiscard]] std::vector<MetricFigure> metric_figures(const pmu::Counts& counts);

/// Half width of an event's interval over its total, in percent; nothing without an interval.
[[nodiscard]] std::optional<double> half_width_percent(const pmu::EventCount& event);

}  // namespace chronio::results

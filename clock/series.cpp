// series.cpp: granule, stuck and backwards steps out of successive readings.
#include "clock/series.hpp"

#include "clock/ticks.hpp"

#include <algorithm>
#include <cmath>

namespace chronio::clock {
namespace {

/// Below, rounding to whole ticks hides a grid.
constexpr double kSmallestGrid = 4;

/// Mean distance from a true grid: a third of a tick comes from rounding both readings, the rest is
/// room for a candidate that lies a little beside the true period.
double distance_on_grid(double period) noexcept { return 0.02 + 0.4 / period; }

/// A length of step and how often it was seen: a few lengths make up thousands of steps.
struct Steps {
  double length = 0;
  double count = 0;
};

/// REQUIRES: !sorted.empty(). An inexact period drifts off the grid over long steps, and those say
/// nothing that short ones don't: they are left out.
std::vector<Steps> short_steps(std::span<const std::uint64_t> sorted) {
  std::vector<Steps> steps;
  const auto most = 8 * static_cast<double>(sorted.front());
  for (const std::uint64_t step : sorted) {
    const auto length = static_cast<double>(step);
    if (length > most) break;
    if (steps.empty() || steps.back().length != length) steps.push_back({length, 0});
    steps.back().count += 1;
  }
  return steps;
}

/// Mean distance of the steps from the nearest multiple of `period`, in periods.
double distance_from_grid(std::span<const Steps> steps, double period) noexcept {
  double sum = 0;
  double count = 0;
  for (const Steps& step : steps) {
    const double multiple = step.length / period;
    sum += step.count * std::abs(multiple - std::floor(multiple + 0.5));
    count += step.count;
  }
  return sum / count;
}

/// The best period close below the first one that fits. What fits first lies up to that room above
/// it.
double refine(std::span<const Steps> steps, double period) noexcept {
  double best = period;
  double least = distance_from_grid(steps, period);
  for (int step = 1; step < 200; ++step) {
    const double candidate = period * (1 - 0.0005 * step);
    const double distance = distance_from_grid(steps, candidate);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace

double fold_granule(std::vector<std::uint64_t> steps) {
  if (steps.empty()) return 1;
  std::sort(steps.begin(), steps.end());
  const std::vector<Steps> folded = short_steps(steps);
  // From above: whatever fits, its half fits as well, so the first that fits is the granule. It is
  // no longer than the shortest step, but for rounding.
  double period = folded.front().length + 1;
  while (period >= kSmallestGrid &&
         distance_from_grid(folded, period) >= distance_on_grid(period)) {
    // Finer than the room that distance_on_grid() leaves beside the true period.
    period *= 0.996;
  }
  return period >= kSmallestGrid ? refine(folded, period) : 1;
}

SeriesFacts examine_series(std::span<const std::uint64_t> readings, unsigned bits) {
  SeriesFacts facts;
  facts.readings = static_cast<std::uint32_t>(readings.size());
  std::vector<std::uint64_t> steps;
  for (std::size_t i = 1; i < readings.size(); ++i) {
    const std::int64_t step = ticks_between(readings[i - 1], readings[i], bits);
    if (step < 0) ++facts.decreases;
    if (step > 0) steps.push_back(static_cast<std::uint64_t>(step));
  }
  // A counter that only falls is broken in another way, which is told apart.
  facts.stuck = steps.empty() && facts.decreases == 0;
  if (!steps.empty()) facts.granule_ticks = fold_granule(std::move(steps));
  return facts;
}

BackToBack examine_back_to_back(std::span<const std::uint64_t> readings, unsigned bits) {
  std::vector<double> steps;
  for (std::size_t i = 1; i < readings.size(); ++i)
    steps.push_back(static_cast<double>(ticks_between(readings[i - 1], readings[i], bits)));
  if (steps.empty()) return {};
  BackToBack facts;
  std::sort(steps.begin(), steps.end());
  // Before the mean, which it protects from interruptions.
  facts.median = steps[steps.size() / 2];
  std::size_t kept = 0;
  for (const double step : steps) {
    if (step > 10 * facts.median) break;
    facts.mean += step;
    ++kept;
  }
  if (kept != 0) facts.mean /= static_cast<double>(kept);
  return facts;
}

std::vector<std::uint64_t> take_back_to_back(CounterKind kind, std::size_t count) {
  std::vector<std::uint64_t> readings(count);
  visit_counter(kind, [&](auto counter) {
    for (std::uint64_t& reading : readings) reading = counter.now();
  });
  return readings;
}

std::vector<std::uint64_t> take_series(CounterKind kind, std::size_t count) {
  std::vector<std::uint64_t> readings(count);
  visit_counter(kind, [&](auto counter) {
    std::uint32_t dice = 1;
    for (std::uint64_t& reading : readings) {
      dice = dice * 1664525U + 1013904223U;  // Numerical Recipes' generator; only variety matters
      for (std::uint32_t i = dice >> 26U; i > 0; --i) asm volatile("");
      reading = counter.now();
    }
  });
  return readings;
}

}  // namespace chronio::clock

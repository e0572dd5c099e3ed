// figures.hpp: figures that every writer of a run derives in one way: rates, shares, samples,
// latency classes.
#pragma once

#include "results/run.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace chronio::results {

/// I/Os per second, by the exact run time; 0 when nothing ran. fio divides by whole milliseconds,
/// which makes its figure of a very short run another one.
[[nodiscard]] inline double iops(const Direction& direction) noexcept {
  if (direction.runtime_ns == 0) return 0;
  return static_cast<double>(direction.total_ios) * 1e9 / static_cast<double>(direction.runtime_ns);
}

/// Bytes per second; 0 when nothing ran. Of a merged group: all bytes by the longest run time.
[[nodiscard]] inline double bandwidth(const Direction& direction) noexcept {
  if (direction.runtime_ns == 0) return 0;
  return static_cast<double>(direction.io_bytes) * 1e9 / static_cast<double>(direction.runtime_ns);
}

/// Whole milliseconds as fio writes run times: rounded half up, and at least 1 when anything ran.
[[nodiscard]] inline std::uint64_t runtime_ms(std::uint64_t ns) noexcept {
  return ns == 0 ? 0 : std::max<std::uint64_t>((ns + 500'000) / 1'000'000, 1);
}

/// CPU time `ns` of a job in percent of one CPU, as fio: of the run times of all its workers. 0
/// without a run time; json_write_job.cpp writes null then.
[[nodiscard]] inline double cpu_percent(std::uint64_t ns, const Job& job) noexcept {
  const auto wall = static_cast<double>(worker_time_ns(job));
  return wall > 0 ? static_cast<double>(ns) * 100 / wall : 0;
}

/// fio's bw and iops samples: rates per second over intervals, bytes/s or I/Os per second. With n 0
/// the others mean nothing.
struct Samples {
  std::uint64_t n = 0;
  /// The deviation is of the sample (n - 1); 0 while n is below 2.
  double min = 0, max = 0, mean = 0, stddev = 0;  ///< per second
};

/// Rates of `count` (&Interval::ios or &Interval::bytes) over the intervals of `job`. An interval
/// shorter than half of the longest, as a run's last one is, is no sample. None when the direction
/// did nothing.
[[nodiscard]] inline Samples samples_of(
    const Job& job, std::size_t direction,
    std::array<std::uint64_t, kDirections> Interval::*count) noexcept {
  Samples samples;
  if (job.directions.at(direction).total_ios == 0) return samples;
  // Nothing is said of a direction that was idle: rates of 0 would look like a stall.
  std::uint64_t longest = 0;
  for (const Interval& interval : job.intervals) longest = std::max(longest, interval.length_ns);
  double squares = 0;
  for (const Interval& interval : job.intervals) {
    if (interval.length_ns == 0 || interval.length_ns < longest / 2) continue;
    const double rate = static_cast<double>((interval.*count).at(direction)) * 1e9 /
                        static_cast<double>(interval.length_ns);
    samples.min = samples.n == 0 ? rate : std::min(samples.min, rate);
    samples.max = std::max(samples.max, rate);
    ++samples.n;
    const double delta = rate - samples.mean;  // Welford
    samples.mean += delta / static_cast<double>(samples.n);
    squares += delta * (rate - samples.mean);
  }
  if (samples.n > 1) samples.stddev = std::sqrt(squares / static_cast<double>(samples.n - 1));
  return samples;
}

/// Upper ends in ns (not included) of fio's latency classes, ascending: ten of ns, ten of us,
/// eleven of ms; the class after the last is ">=2000 ms". Source: fio's io_u.c,
/// io_u_mark_lat_nsec() and its kin.
inline constexpr std::array<std::uint64_t, 31> kLatencyLimits = [] {
  constexpr std::array<std::uint64_t, 10> kSteps = {2, 4, 10, 20, 50, 100, 250, 500, 750, 1000};
  std::array<std::uint64_t, 31> limits = {};
  std::uint64_t unit = 1;
  std::size_t at = 0;
  for (int unit_index = 0; unit_index < 3; ++unit_index, unit *= 1000) {
    for (const std::uint64_t step : kSteps) limits[at++] = step * unit;
  }
  limits[at] = 2'000'000'000;
  return limits;
}();

/// How many I/Os of `job`, all directions, took how long (clat), by fio's classes. A bucket counts
/// where its middle lies: next to a limit up to 0.4 % of the value off. All 0 where no histogram
/// was kept, as in a plain json of fio.
[[nodiscard]] inline std::array<std::uint64_t, kLatencyLimits.size() + 1> latency_classes(
    const Job& job) {
  std::array<std::uint64_t, kLatencyLimits.size() + 1> classes = {};
  for (const Direction& direction : job.directions) {
    for (const auto& [index, count] : direction.clat.counts.buckets) {
      // The middle stands for the bucket: counted by an end, all of a bucket across a limit would
      // move.
      const std::uint64_t middle = stats::bucket_low(index) + stats::bucket_width(index) / 2;
      const auto* const limit =
          std::upper_bound(kLatencyLimits.begin(), kLatencyLimits.end(), middle);
      classes.at(static_cast<std::size_t>(limit - kLatencyLimits.begin())) += count;
    }
    classes.back() += direction.clat.counts.overflow;
  }
  return classes;
}

}  // namespace chronio::results

// moments.hpp: exact count, min, max, sum and sum of squares of latencies; merged by addition.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace chronio::stats {

/// Of GCC and Clang; `__extension__` keeps -Wpedantic quiet.
__extension__ using Uint128 = unsigned __int128;

/// Moments in ns (sum of squares in ns^2). Integers, so the order of records and merges can't show.
struct Moments {
  std::uint64_t n = 0;
  std::uint64_t min = std::numeric_limits<std::uint64_t>::max();  ///< no meaning while n is 0
  std::uint64_t max = 0;
  /// Fits 584 years of latencies.
  std::uint64_t sum = 0;
  /// Room for 2^40 latencies below 2^44 ns.
  Uint128 sum_squares = 0;

  /// [hot] One latency in ns.
  void record(std::uint64_t ns) noexcept {
    ++n;
    sum += ns;
    sum_squares += static_cast<Uint128>(ns) * ns;
    if (ns < min) min = ns;
    if (ns > max) max = ns;
  }

  /// As if all of `other` had been recorded here.
  void merge(const Moments& other) noexcept {
    n += other.n;
    sum += other.sum;
    sum_squares += other.sum_squares;
    min = std::min(min, other.min);
    max = std::max(max, other.max);
  }

  [[nodiscard]] double mean() const noexcept;  ///< ns; 0 when n is 0
  /// Exact but for the last rounding, also where the deviation is a tiny part of the mean.
  [[nodiscard]] double stddev() const noexcept;  ///< ns, of the sample (n - 1), as fio; 0 below 2
  bool operator==(const Moments&) const = default;
};

}  // namespace chronio::stats

// cluster.hpp: one point of the calibration: where the counter stood at a time of the kernel's
// clock.
#pragma once

#include "clock/counter.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace chronio::clock {

/// A reading of CLOCK_MONOTONIC_RAW between two of the counter. Its width, after - before, bounds
/// how far the kernel's reading may lie from their middle.
struct Bracket {
  std::uint64_t before = 0;  ///< ticks
  std::uint64_t raw_ns = 0;
  std::uint64_t after = 0;  ///< ticks
};

/// Where the ticks and ns of all clusters of a process are counted from, so that a double holds
/// them to a fraction of a tick for weeks.
struct Origin {
  std::uint64_t ticks = 0;
  std::uint64_t raw_ns = 0;
};

/// A mean of brackets: the counter stood at `ticks` when the kernel's clock stood at `ns`.
struct Cluster {
  double ticks = 0;        ///< since the origin
  double ns = 0;           ///< CLOCK_MONOTONIC_RAW since the origin
  std::uint32_t kept = 0;  ///< brackets that were averaged
};

/// Mean of the brackets at most one granule wider than the narrowest: the others were interrupted
/// between two readings, and averaging many dithers the granule away, which the best single one
/// would not. `granule_ticks` below 1 counts as 1. `bits`: width of the counter. `origin`: less
/// than half a wrap away.
/// REQUIRES: !brackets.empty().
[[nodiscard]] Cluster average(std::span<const Bracket> brackets, Origin origin,
                              double granule_ticks, unsigned bits);

/// `count` brackets around the counter of that kind. In a row, without a pause: 256 take about 21
/// us of RDTSC and a vDSO reading (AMD EPYC, family 25, KVM).
[[nodiscard]] std::vector<Bracket> take_brackets(CounterKind kind, std::size_t count);

/// CLOCK_MONOTONIC minus CLOCK_MONOTONIC_RAW in ns, averaged over `count` brackets, and the time of
/// it.
struct MonotonicPoint {
  double raw_ns = 0;  ///< since the origin
  double offset_ns =
      0;  ///< less the offset at the origin's time is what the rates' difference makes
};
[[nodiscard]] MonotonicPoint take_monotonic_point(Origin origin, std::size_t count);

}  // namespace chronio::clock

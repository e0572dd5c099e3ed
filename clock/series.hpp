// series.hpp: what a series of readings on one CPU shows: the granule, standstill, steps backwards.
#pragma once

#include "clock/counter.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace chronio::clock {

/// `decreases` counts the shorter way round, so a wrap is none.
struct SeriesFacts {
  std::uint32_t readings = 0;
  std::uint32_t decreases = 0;  ///< readings below the one before
  bool stuck = true;            ///< no reading differed from the one before
  double granule_ticks = 0;     ///< smallest step that the counter moves in; 0 when stuck
};

/// Judges readings taken one after the other from a counter of `bits` bits. Only steps of different
/// lengths show the granule; take_series() makes them.
[[nodiscard]] SeriesFacts examine_series(std::span<const std::uint64_t> readings, unsigned bits);

/// The period of the grid that all `steps` (differences above 0 of successive readings) lie on
/// within a tick; 1 when there is no such grid above 4 ticks, which is as fine as rounding lets one
/// see. In ticks, not always a whole number: 24.5 where a TSC of 2,445 MHz is derived from a clock
/// of 100 MHz.
[[nodiscard]] double fold_granule(std::vector<std::uint64_t> steps);

/// Differences of readings with nothing between them, in ticks.
struct BackToBack {
  double mean = 0;    ///< of those below ten times the median: the others were interrupted
  double median = 0;  ///< 0 as the mean when there are fewer than two readings
};
/// What the mean lies above the median is the readings' jitter.
[[nodiscard]] BackToBack examine_back_to_back(std::span<const std::uint64_t> readings,
                                              unsigned bits);

/// `count` readings with nothing between them.
/// REQUIRES: a counter of `kind` can be read here.
[[nodiscard]] std::vector<std::uint64_t> take_back_to_back(CounterKind kind, std::size_t count);

/// `count` readings of the calling thread, spaced by delays of changing length: equal delays would
/// make the cost of a reading look like a grid of the counter.
/// REQUIRES: a counter of `kind` can be read here.
[[nodiscard]] std::vector<std::uint64_t> take_series(CounterKind kind, std::size_t count);

}  // namespace chronio::clock

// gates.hpp: the checks that a counter must pass on one CPU before it is used. Pure judgement.
#pragma once

#include "clock/machine.hpp"
#include "clock/series.hpp"

#include <string>
#include <vector>

namespace chronio::clock {

/// What was measured on the counter.
struct CounterFacts {
  double read_cost_ns = 0;
  double ns_per_tick = 1;  ///< good to a part in a thousand or so
  SeriesFacts series;
  BackToBack back_to_back;
};

/// Largest step in which a counter may move.
inline constexpr double kLargestGranuleNs = 100;

/// One sentence for each check that failed; empty when the counter may be used.
/// REQUIRES: machine.counter && machine.allowed.
[[nodiscard]] std::vector<std::string> failed_gates(const Machine& machine,
                                                    const CounterFacts& facts);

/// Why there is no counter that could even be read; empty when there is one.
[[nodiscard]] std::string why_unreadable(const Machine& machine);

}  // namespace chronio::clock

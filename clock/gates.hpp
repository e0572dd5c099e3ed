// gates.hpp: the checks that a counter must pass on one CPU before it is used. Pure judgement.
#pragma once

#include "clock/machine.hpp"
#include "clock/series.hpp"

#include <string>
#include <vector>

namespace chronio::clock {

/// What was measured on the counter. On the CPU that the calling thread was on.
struct CounterFacts {
  /// Least mean of some batches.
  double read_cost_ns = 0;
  double ns_per_tick = 1;  ///< good to a part in a thousand or so
  SeriesFacts series;
  BackToBack back_to_back;
};

/// Largest step in ns in which a counter may move. One of 24 MHz, as arm64 machines have, passes
/// with 42 ns: percentiles below 1 us are coarse then, which the certificate's granule tells.
inline constexpr double kLargestGranuleNs = 100;

/// One sentence for each check that failed; empty when the counter may be used. All failed checks
/// are told, not the first one only. What CPUs have to say of each other is not among them:
/// decide() adds that.
/// REQUIRES: machine.counter && machine.allowed.
[[nodiscard]] std::vector<std::string> failed_gates(const Machine& machine,
                                                    const CounterFacts& facts);

/// Why there is no counter that could even be read; empty when there is one. To be asked before any
/// reading: one that PR_SET_TSC forbids ends the process.
[[nodiscard]] std::string why_unreadable(const Machine& machine);

}  // namespace chronio::clock

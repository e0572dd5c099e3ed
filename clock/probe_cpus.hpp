// probe_cpus.hpp: collects what offsets.hpp judges, by one of three methods.
#pragma once

#include "clock/counter.hpp"
#include "clock/offsets.hpp"
#include "clock/options.hpp"

#include <cstdint>
#include <vector>

namespace chronio::clock {

/// More CPUs than this are not probed: the closure is cubic. Callers say so in their findings.
inline constexpr std::size_t kMostCpus = 256;

/// Budgets are wall time by CLOCK_MONOTONIC_RAW.
struct ProbeOptions {
  CounterKind counter = CounterKind::monotonic_raw;
  Method method = Method::oneway;
  /// Least interleavings of a pair that count as evidence; 0: the method's own, least_quality().
  std::uint32_t quality = 0;
  /// Bounds are widened by so much on each side; below 1 counts as 1.
  double granule_ticks = 1;
  std::uint64_t pair_budget_ns = 20'000'000;    ///< oneway: wall time of a pair once both run
  std::uint64_t total_budget_ns = 200'000'000;  ///< wall time of all, with repetitions
};

/// What a method can do with in a normal run: two bursts in both directions for oneway; ten
/// changes from CPU to CPU and back, each way, for hop and cas.
[[nodiscard]] std::uint32_t least_quality(Method method) noexcept;

/// Probes `cpus` (the first kMostCpus of them); what stays below the quality is tried again while
/// the budget lasts. The calling thread's own affinity is as before. A CPU that can't be pinned to,
/// or is left during a probe, has pairs without interleavings. [setup] Starts threads and joins
/// them all.
[[nodiscard]] ProbeRecord probe_cpus(const std::vector<int>& cpus, const ProbeOptions& options);

}  // namespace chronio::clock

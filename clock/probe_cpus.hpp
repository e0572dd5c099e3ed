// probe_cpus.hpp: collects what offsets.hpp judges: one pinned thread per CPU, all pairs in rounds.
#pragma once

#include "clock/counter.hpp"
#include "clock/offsets.hpp"

#include <cstdint>
#include <vector>

namespace chronio::clock {

/// More CPUs than this are not probed: the closure is cubic. Callers say so in their findings.
inline constexpr std::size_t kMostCpus = 256;

struct ProbeOptions {
  CounterKind counter = CounterKind::monotonic_raw;
  double granule_ticks = 1;
  std::uint64_t pair_budget_ns = 20'000'000;  ///< wall time of a pair once both threads run
  std::uint64_t total_budget_ns =
      200'000'000;  ///< wall time of all; pairs left over are insufficient
};

/// Probes every pair of `cpus` (the first kMostCpus of them). The calling thread's own affinity
/// stays as it is. A CPU that can't be pinned to, or is left during a probe, has insufficient
/// pairs.
[[nodiscard]] ProbeRecord probe_cpus(const std::vector<int>& cpus, const ProbeOptions& options);

}  // namespace chronio::clock

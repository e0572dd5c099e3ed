// merge_pmu.hpp: event counts of several threads added. Internal to results.
#pragma once

#include "pmu/estimate.hpp"

namespace chronio::results {

/// Adds another thread's counts: totals add up, and so do the variances behind their intervals, for
/// each thread has an order of its own. An event that one of them could not count has no total.
/// `into_cpu_ns`, `from_cpu_ns`: CPU time of each, by which the overhead is weighed. Events are
/// matched by name; one that only `from` has is dropped.
void merge(pmu::Counts& into, const pmu::Counts& from, std::uint64_t into_cpu_ns,
           std::uint64_t from_cpu_ns);

}  // namespace chronio::results

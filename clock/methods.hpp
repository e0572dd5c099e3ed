// methods.hpp: the ways to collect evidence between CPUs. Each adds to a record what it saw until
// it has enough or the deadline, a time of CLOCK_MONOTONIC_RAW, has come. Internal to probe_cpus.
#pragma once

#include "clock/probe_cpus.hpp"

#include <cstdint>

namespace chronio::clock {

/// All pairs of record.cpus, disjoint ones at the same time, each by one-way stamps. Starts a
/// thread for each CPU and joins them; each pair takes up to options.pair_budget_ns once both of
/// its threads have met. The narrowest bounds, tens of ns.
void probe_oneway(const ProbeOptions& options, std::uint64_t deadline_ns, ProbeRecord& record);

/// One thread goes from the first CPU to each other and back, then round all of them. Needs no two
/// CPUs at the same time; bounds are as wide as a move takes, tens of us. A pair without the first
/// CPU is seen in one direction at most and not in the record: it is bounded by way of the first.
void probe_hop(const ProbeOptions& options, std::uint64_t deadline_ns, ProbeRecord& record);

/// Threads on all CPUs at once, whose readings a compare-and-swap puts into one order. All threads
/// contend for one cache line, so bounds widen with the number of CPUs.
void probe_cas(const ProbeOptions& options, std::uint64_t deadline_ns, ProbeRecord& record);

}  // namespace chronio::clock

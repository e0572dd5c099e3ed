// methods.hpp: the ways to collect evidence between CPUs. Each adds to a record what it saw until
// it has enough or the deadline, a time of CLOCK_MONOTONIC_RAW, has come. Internal to probe_cpus.
#pragma once

#include "clock/probe_cpus.hpp"

#include <cstdint>

namespace chronio::clock {

/// All pairs of record.cpus, disjoint ones at the same time, each by one-way stamps.
void probe_oneway(const ProbeOptions& options, std::uint64_t deadline_ns, ProbeRecord& record);

/// One thread goes from the first CPU to each other and back, then round all of them.
void probe_hop(const ProbeOptions& options, std::uint64_t deadline_ns, ProbeRecord& record);

/// Threads on all CPUs at once, whose readings a compare-and-swap puts into one order.
void probe_cas(const ProbeOptions& options, std::uint64_t deadline_ns, ProbeRecord& record);

}  // namespace chronio::clock

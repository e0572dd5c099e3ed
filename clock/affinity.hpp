// affinity.hpp: which CPUs the process may use, and the calling thread's place among them.
#pragma once

#include <vector>

namespace chronio::clock {

/// CPUs in the calling thread's affinity mask, ascending; empty when the kernel does not tell.
/// Numbers as the kernel has them, which may have gaps.
/// Source: sched_getaffinity(2).
[[nodiscard]] std::vector<int> allowed_cpus();

/// Binds the calling thread to `cpu`. False when the kernel refuses, as it does for a CPU that went
/// offline or that a cpuset forbids. True says that the mask is set; sched_getcpu(3) tells whether
/// the thread has arrived and stayed.
/// REQUIRES: cpu >= 0.
[[nodiscard]] bool pin_to(int cpu);

}  // namespace chronio::clock

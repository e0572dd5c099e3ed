// affinity.hpp: which CPUs the process may use, and the calling thread's place among them.
#pragma once

#include <vector>

namespace chronio::clock {

/// CPUs in the calling thread's affinity mask, ascending; empty when the kernel does not tell.
[[nodiscard]] std::vector<int> allowed_cpus();

/// Binds the calling thread to `cpu`. False when the kernel refuses, as it does for a CPU that went
/// offline or that a cpuset forbids.
[[nodiscard]] bool pin_to(int cpu);

}  // namespace chronio::clock

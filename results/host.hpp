// host.hpp: reads what machine this is.
#pragma once

#include "results/run.hpp"

namespace chronio::results {

/// Kernel, CPU, governor, clocksource, memory, hypervisor of this machine. What can't be read is empty.
[[nodiscard]] Host this_host();

}  // namespace chronio::results

// host.hpp: reads what machine this is.
#pragma once

#include "results/run.hpp"

#include <string>
#include <string_view>

namespace chronio::results {

/// Kernel, CPU, governor, clocksource, memory, hypervisor of this machine. What can't be read is
/// empty. Opens some files below /proc and /sys.
[[nodiscard]] Host this_host();

/// The processor's name out of the text of /proc/cpuinfo; empty when it has none (arm64).
[[nodiscard]] std::string cpu_model_of(std::string_view cpuinfo);

/// Bytes of MemTotal out of the text of /proc/meminfo; 0 when it can't be told.
[[nodiscard]] std::uint64_t memory_of(std::string_view meminfo);

/// A hypervisor's signature of CPUID leaf 0x40000000 ("KVMKVMKVM") by its usual name ("KVM"); one
/// that is not known stays as it is.
[[nodiscard]] std::string hypervisor_of(std::string_view signature);

}  // namespace chronio::results

// estimate.hpp: what a worker's thread used, as plain data; event counts join it here.
#pragma once

#include <cstdint>

namespace chronio::pmu {

/// Differences of getrusage(RUSAGE_THREAD) over the measured part of a job; threads add up.
struct Usage {
  std::uint64_t user_ns = 0;
  std::uint64_t system_ns = 0;
  std::uint64_t context_switches = 0;  ///< voluntary and involuntary
  std::uint64_t major_faults = 0;
  std::uint64_t minor_faults = 0;

  Usage& operator+=(const Usage& other) noexcept {
    user_ns += other.user_ns;
    system_ns += other.system_ns;
    context_switches += other.context_switches;
    major_faults += other.major_faults;
    minor_faults += other.minor_faults;
    return *this;
  }
};

}  // namespace chronio::pmu

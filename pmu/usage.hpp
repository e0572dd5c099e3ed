// usage.hpp: reads what the calling thread has used so far.
#pragma once

#include "pmu/estimate.hpp"

namespace chronio::pmu {

/// getrusage(RUSAGE_THREAD) of the calling thread. A system call: for the ends of the measured part
/// only.
/// Source: getrusage(2).
[[nodiscard]] Usage thread_usage() noexcept;

/// What came between two readings of one thread.
/// REQUIRES: `from` was read first.
[[nodiscard]] Usage between(const Usage& from, const Usage& to) noexcept;

}  // namespace chronio::pmu

// suspend.hpp: whether the machine slept: CLOCK_BOOTTIME goes on then, CLOCK_MONOTONIC does not.
#pragma once

#include "clock/counter.hpp"

#include <cstdint>
#include <limits>

namespace chronio::clock {

/// By how much CLOCK_BOOTTIME is ahead of CLOCK_MONOTONIC in ns: all the time that the machine has
/// slept since it was started. Too high by what a reading takes, at the least of five tries.
/// Differences of two calls are what matters.
/// Source: clock_gettime(2), CLOCK_BOOTTIME.
[[nodiscard]] inline std::int64_t slept_ns() noexcept {
  auto least = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < 5; ++i) {
    const std::uint64_t monotonic = KernelCounter<CLOCK_MONOTONIC>{}.now();
    const std::uint64_t boottime = KernelCounter<CLOCK_BOOTTIME>{}.now();
    const auto ahead = static_cast<std::int64_t>(boottime - monotonic);
    if (ahead < least) least = ahead;
  }
  return least;
}

}  // namespace chronio::clock

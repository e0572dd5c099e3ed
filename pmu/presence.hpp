// presence.hpp: how much of the time that a thread was on a CPU its windows have seen.
#pragma once

#include <algorithm>
#include <cstdint>

namespace chronio::pmu {

/// Totals are those of the windows and are not scaled up to what none of them saw: this much may be
/// missing of a total that is still called good. It is half of where a report marks an interval. A
/// share of the time on a CPU.
inline constexpr double kMostUnseen = 0.05;

/// All in ns of the thread on a CPU. Without a measure of the time nothing is held to be missing.
struct Presence {
  std::uint64_t on_cpu_ns = 0;  ///< from the first window's start to the last one's end; 0: unknown
  std::uint64_t counted_ns = 0;    ///< in windows that were kept
  std::uint64_t switching_ns = 0;  ///< in the thread's own handler, between two windows

  /// Share from 0 to 1 of the time that neither a window nor the handler accounts for.
  [[nodiscard]] double unseen() const noexcept {
    if (on_cpu_ns == 0) return 0;
    const std::uint64_t seen = std::min(on_cpu_ns, counted_ns + switching_ns);
    return static_cast<double>(on_cpu_ns - seen) / static_cast<double>(on_cpu_ns);
  }

  /// Too much is missing for totals to stand for the whole. What a run of no length misses are the
  /// calls at its ends.
  [[nodiscard]] bool falls_short() const noexcept {
    constexpr double kEndsNs = 1e6;
    const double missing = unseen();
    return missing > kMostUnseen && missing * static_cast<double>(on_cpu_ns) > kEndsNs;
  }
};

}  // namespace chronio::pmu

// scale.hpp: counter ticks to nanoseconds by one multiplication.
#pragma once

#include <cstdint>

namespace chronio::clock {

/// ns = high 64 bits of (ticks << pre) * mult: within 1.01 ns below the truth for any interval up to a
/// year at 1 MHz to 6 GHz. `mult` is round(ns_per_tick * 2^(64 - pre)).
struct TickScale {
  std::uint64_t mult = 0;
  std::uint8_t pre = 0;  ///< 0 for counters above 1 GHz, so that mult fits 64 bits

  /// [hot] Length in ns of an interval in ticks. Truncates.
  [[nodiscard]] std::uint64_t to_ns(std::uint64_t ticks) const noexcept {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(ticks << pre) * mult) >> 64);
  }

  /// Ticks in `ns`, rounded to the nearest.
  [[nodiscard]] std::uint64_t to_ticks(std::uint64_t ns) const noexcept;

  /// Scale of a counter of `hz` ticks per second. REQUIRES: 1e6 <= hz && hz <= 6.4e10.
  [[nodiscard]] static TickScale from_hz(double hz) noexcept;
};

}  // namespace chronio::clock

// split_scale.hpp: ticks to nanoseconds by 64-bit arithmetic alone: whole moduli by one factor, the
// rest by multiply and shift, as WTMLIB (2018) does it. Kept as the reference that scale.hpp is
// measured against; no run uses it.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace chronio::clock {

/// ns = (ticks >> bits) * ns_per_modulus + ((ticks & mask) * mult >> shift). Two roundings pull
/// against each other: a longer modulus leaves fewer bits for `mult`, a shorter one is counted more
/// often and loses up to 1 ns each time. The error is at most (4 * m * f / 2^64 + 1e-9 / m) of the
/// interval for a modulus of m seconds at f ticks per second, least near m = sqrt(2^62 * 1e-9 / f):
/// 0.7 to 1.4 s for counters of 2 to 8 GHz, and never below 1 ppb or so.
struct SplitScale {
  /// ns of a tick, times 2^shift, rounded down.
  std::uint64_t mult = 0;
  std::uint64_t ns_per_modulus = 0;
  std::uint64_t mask = 0;  ///< ticks of the modulus less one
  std::uint8_t bits = 0;   ///< of the mask
  std::uint8_t shift = 0;

  /// [hot] Length in ns of an interval in ticks; as long as the result fits 64 bits.
  [[nodiscard]] std::uint64_t to_ns(std::uint64_t ticks) const noexcept {
    return (ticks >> bits) * ns_per_modulus + ((ticks & mask) * mult >> shift);
  }

  /// Scale of a counter of `hz` whole ticks per second for a modulus of up to `modulus_s` seconds,
  /// which is cut to a power of two of ticks.
  /// REQUIRES: 1e6 <= hz, 1 <= modulus_s, and their product, the ticks of the modulus, is below
  /// 2^53.
  [[nodiscard]] static constexpr SplitScale from_hz(std::uint64_t hz, std::uint64_t modulus_s) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    __extension__ using Wide = unsigned __int128;
    const std::uint64_t ticks = hz * modulus_s;
    SplitScale scale;
    scale.bits = static_cast<std::uint8_t>(std::bit_width(ticks) - 1);
    scale.mask = (std::uint64_t{1} << scale.bits) - 1;
    // The largest shift for which (ticks of the modulus) * mult stays within 64 bits.
    const auto most_mult = Wide{kMost / ticks};
    while (scale.shift < 63 && (Wide{1'000'000'000} << (scale.shift + 1U)) / hz <= most_mult)
      ++scale.shift;
    scale.mult = static_cast<std::uint64_t>((Wide{1'000'000'000} << scale.shift) / hz);
    scale.ns_per_modulus = static_cast<std::uint64_t>((Wide{1'000'000'000} << scale.bits) / hz);
    return scale;
  }
};

}  // namespace chronio::clock

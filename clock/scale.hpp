// scale.hpp: counter ticks to nanoseconds by one multiplication.
#pragma once

#include <cstdint>

namespace chronio::clock {

/// ns = (ticks << pre) * mult / 2^64, rounded half up. `mult` is round(ns_per_tick * 2^(64 - pre)).
/// For any interval up to a year the result is within 0.51 ns of the truth at 1 MHz to 11 GHz: half
/// for the rounding, the rest for that of `mult`, which makes it 0.56 ns at 64 GHz. The default is
/// the scale of the kernel's clocks, 1 tick = 1 ns, which pre = 1 makes exact.
struct TickScale {
  std::uint64_t mult = std::uint64_t{1} << 63U;
  std::uint8_t pre = 1;  ///< 0 for counters above 1 GHz; as large as ns_per_tick needs below

  /// [hot] Length in ns of an interval in ticks.
  /// REQUIRES: ticks < 2^(64 - pre).
  [[nodiscard]] std::uint64_t to_ns(std::uint64_t ticks) const noexcept {
    return scaled(ticks << pre);
  }

  /// [hot] The same for counters above 1 GHz. One shift less for each latency.
  /// REQUIRES: pre == 0.
  [[nodiscard]] std::uint64_t to_ns_above_ghz(std::uint64_t ticks) const noexcept {
    return scaled(ticks);
  }

  /// Ticks in `ns`, rounded to the nearest; 2^64 - 1 when there are more. [setup] A 128-bit
  /// division: for limits that the loop compares ticks with.
  [[nodiscard]] std::uint64_t to_ticks(std::uint64_t ns) const noexcept;

  /// Scale of a counter of `hz` ticks per second. The multiplier is the correctly rounded one for
  /// this very double.
  /// REQUIRES: 1e6 <= hz && hz <= 6.4e10.
  [[nodiscard]] static TickScale from_hz(double hz) noexcept;

 private:
  /// The upper half of the product, rounded by the highest bit of the lower half.
  [[nodiscard]] std::uint64_t scaled(std::uint64_t shifted) const noexcept {
#if defined(__x86_64__)
    // GCC 12 takes the halves of its 128-bit type through memory: three instructions more.
    std::uint64_t low = shifted;
    std::uint64_t high = 0;
    asm("mulq %2" : "+a"(low), "=d"(high) : "rm"(mult) : "cc");
#else
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(shifted) * mult;
    const auto low = static_cast<std::uint64_t>(product);
    const auto high = static_cast<std::uint64_t>(product >> 64U);
#endif
    return high + (low >> 63U);
  }
};

}  // namespace chronio::clock

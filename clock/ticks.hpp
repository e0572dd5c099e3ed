// ticks.hpp: differences of counter readings, also across the wrap of the counter.
#pragma once

#include <cstdint>

namespace chronio::clock {

/// `to` - `from` in ticks for a counter of `bits` bits, by the shorter way around: negative when
/// `to` lies before `from`. Bits of either reading above `bits` are ignored.
/// REQUIRES: 1 <= bits && bits <= 64.
[[nodiscard]] constexpr std::int64_t ticks_between(std::uint64_t from, std::uint64_t to,
                                                   unsigned bits = 64) noexcept {
  const unsigned unused = 64U - bits;
  return static_cast<std::int64_t>((to - from) << unused) >> unused;
}

}  // namespace chronio::clock

// scale.cpp: multiplier and pre-shift of a rate.
#include "clock/scale.hpp"

#include <cmath>
#include <limits>

namespace chronio::clock {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
constexpr int kMantissaBits = std::numeric_limits<double>::digits;

/// Smallest shift that lets round(ns_per_tick * 2^(64 - pre)) fit 64 bits.
std::uint8_t pre_shift(double hz) noexcept {
  int pre = 0;
  // Also at 1 GHz exactly, where the multiplier would be 2^64.
  while (std::ldexp(hz, pre) <= 1e9) ++pre;
  return static_cast<std::uint8_t>(pre);
}

}  // namespace

std::uint64_t TickScale::to_ticks(std::uint64_t ns) const noexcept {
  const Wide scaled = static_cast<Wide>(ns) << (64U - pre);
  const Wide ticks = scaled / mult + (scaled % mult >= mult - mult / 2 ? 1 : 0);
  // A limit that no counter reaches has to stay one.
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  return ticks > kMost ? kMost : static_cast<std::uint64_t>(ticks);
}

TickScale TickScale::from_hz(double hz) noexcept {
  // A double quotient would be off by up to 1e-16, which is 3.5 ns in a year. The mantissa of hz is
  // an integer, so that integer division gives the correctly rounded multiplier.
  int exponent = 0;
  const auto mantissa =
      static_cast<std::uint64_t>(std::ldexp(std::frexp(hz, &exponent), kMantissaBits));
  TickScale scale;
  scale.pre = pre_shift(hz);
  const auto shift = static_cast<unsigned>(64 + kMantissaBits - scale.pre - exponent);
  const Wide numerator = static_cast<Wide>(kNsPerSecond) << shift;
  scale.mult = static_cast<std::uint64_t>((numerator + mantissa / 2) / mantissa);
  return scale;
}

}  // namespace chronio::clock

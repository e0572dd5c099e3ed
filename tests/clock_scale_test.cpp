// clock_scale_test.cpp: conversion of ticks to ns against exact integer arithmetic.
#include "clock/scale.hpp"
#include "clock/split_scale.hpp"
#include "clock/ticks.hpp"
#include "tests/catch.hpp"

#include <cmath>
#include <limits>
#include <random>

namespace {

using namespace chronio::clock;
__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kNsPerYear = 31'557'600ULL * 1'000'000'000ULL;

/// The true ns of `ticks` at `hz` whole ticks per second, rounded down.
std::uint64_t whole_ns(std::uint64_t ticks, std::uint64_t hz) {
  return static_cast<std::uint64_t>(static_cast<Wide>(ticks) * 1'000'000'000U / hz);
}

/// The error of to_ns() in 1/hz ns, exact: |to_ns * hz - ticks * 1e9|.
Wide exact_error(std::uint64_t ticks, std::uint64_t hz) {
  const Wide mine =
      static_cast<Wide>(TickScale::from_hz(static_cast<double>(hz)).to_ns(ticks)) * hz;
  const Wide truth = static_cast<Wide>(ticks) * 1'000'000'000U;
  return mine > truth ? mine - truth : truth - mine;
}

/// Largest error in hundredths of an ns, rounded up, over rates from `least_hz` to `most_hz` and
/// times up to a year: random ones, and ones near a year, where the multiplier's rounding shows
/// most.
int worst_hundredths(std::uint64_t least_hz, std::uint64_t most_hz, int rounds) {
  std::mt19937_64 dice(20240607);
  int worst = 0;
  for (int i = 0; i < rounds; ++i) {
    const std::uint64_t hz = least_hz + dice() % (most_hz - least_hz + 1);
    // In ticks: whole ns would lie too near to a tick to be rounded far.
    const auto year =
        static_cast<std::uint64_t>(static_cast<Wide>(kNsPerYear) * hz / 1'000'000'000U);
    const std::uint64_t ticks =
        i % 2 == 0 ? year - dice() % 1'000'000 : dice() % year >> (dice() % 50);
    const Wide hundredths = (100 * exact_error(ticks, hz) + hz - 1) / hz;
    worst = std::max(worst, static_cast<int>(hundredths));
  }
  return worst;
}

}  // namespace

TEST_CASE("scale: any interval up to a year is within 0.51 ns from 1 MHz to 11 GHz", "[clock]") {
  CHECK(worst_hundredths(1'000'000, 11'000'000'000, 200'000) <= 51);
  CHECK(worst_hundredths(1'000'000'001, 6'000'000'000, 200'000) <= 51);    // usual
  CHECK(worst_hundredths(1'000'000, 100'000'000, 200'000) <= 51);          // slow
  CHECK(worst_hundredths(10'900'000'000, 11'000'000'000, 200'000) <= 51);  // at the end
}

TEST_CASE("scale: any interval up to a year is within 0.56 ns up to 64 GHz, and not within 0.51",
          "[clock]") {
  CHECK(worst_hundredths(11'000'000'000, 64'000'000'000, 200'000) <= 56);
  const int at_the_end = worst_hundredths(63'900'000'000, 64'000'000'000, 200'000);
  CHECK(at_the_end <= 56);
  CHECK(at_the_end > 51);
}

TEST_CASE("scale: the multiplier is the correctly rounded quotient", "[clock]") {
  const TickScale scale = TickScale::from_hz(2'096'020'123.0);
  CHECK(scale.pre == 0);
  // round(1e9 * 2^64 / 2096020123), from exact integer division.
  const Wide numerator = static_cast<Wide>(1'000'000'000U) << 64U;
  CHECK(scale.mult ==
        static_cast<std::uint64_t>((numerator + 2'096'020'123U / 2) / 2'096'020'123U));
}

TEST_CASE("scale: ns are rounded half up", "[clock]") {
  const TickScale scale = TickScale::from_hz(4e9);  // 0.25 ns a tick, exact in binary
  CHECK(scale.to_ns(0) == 0);
  CHECK(scale.to_ns(1) == 0);
  CHECK(scale.to_ns(2) == 1);
  CHECK(scale.to_ns(5) == 1);
  CHECK(scale.to_ns(6) == 2);
}

TEST_CASE("scale: a kernel clock's ticks are its nanoseconds exactly", "[clock]") {
  const TickScale by_default;
  const TickScale by_rate = TickScale::from_hz(1e9);
  CHECK(by_rate.mult == by_default.mult);
  CHECK(by_rate.pre == by_default.pre);
  std::mt19937_64 dice(7);
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t ns = dice() >> (1 + dice() % 60);
    REQUIRE(by_default.to_ns(ns) == ns);
    REQUIRE(by_default.to_ticks(ns) == ns);
  }
}

TEST_CASE("scale: conversion is monotone", "[clock]") {
  std::mt19937_64 dice(11);
  for (const double hz :
       {1e6, 24e6, 999'999'999.0, 1e9, 1'000'000'001.0, 2'445'428'025.3, 6.4e10}) {
    const TickScale scale = TickScale::from_hz(hz);
    for (int i = 0; i < 2'000; ++i) {
      const std::uint64_t ticks = dice() >> (12 + dice() % 50);
      REQUIRE(scale.to_ns(ticks) <= scale.to_ns(ticks + 1));
    }
  }
}

TEST_CASE("scale: ns to ticks and back is off by half a tick and half an ns at most", "[clock]") {
  std::mt19937_64 dice(13);
  for (const double hz : {1e6, 24e6, 1e9, 2'096'019'011.7, 5.2e9}) {
    const TickScale scale = TickScale::from_hz(hz);
    const double ns_per_tick = 1e9 / hz;
    for (int i = 0; i < 2'000; ++i) {
      const std::uint64_t ns = dice() >> (20 + dice() % 40);
      const std::uint64_t back = scale.to_ns(scale.to_ticks(ns));
      const double off = std::abs(static_cast<double>(back) - static_cast<double>(ns));
      REQUIRE(off <= ns_per_tick / 2 + 1);
    }
  }
}

TEST_CASE("scale: more ticks than 64 bits hold saturate", "[clock]") {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  CHECK(TickScale::from_hz(4e9).to_ticks(kMost) == kMost);
  CHECK(TickScale::from_hz(4e9).to_ticks(kMost / 4) == kMost / 4 * 4);
}

TEST_CASE("ticks: a difference goes the shorter way around the wrap", "[clock]") {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  CHECK(ticks_between(10, 25) == 15);
  CHECK(ticks_between(25, 10) == -15);
  CHECK(ticks_between(kMost - 4, 5) == 10);
  CHECK(ticks_between(5, kMost - 4) == -10);
  constexpr std::uint64_t kMost56 = (std::uint64_t{1} << 56U) - 1;
  CHECK(ticks_between(kMost56 - 4, 5, 56) == 10);
  CHECK(ticks_between(5, kMost56 - 4, 56) == -10);
}

TEST_CASE("split scale: it is within 2 ppb and a few ns for moduli of one to ten seconds",
          "[clock]") {
  std::mt19937_64 dice(7);
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t hz = 1'000'000'000 + dice() % 5'000'000'000;
    const std::uint64_t modulus_s = 1 + dice() % 10;
    const std::uint64_t ticks = dice() % (86'400 * hz) >> (dice() % 40);
    const std::uint64_t exact = whole_ns(ticks, hz);
    const std::uint64_t split = SplitScale::from_hz(hz, modulus_s).to_ns(ticks);
    CHECK(split <= exact);  // both factors are rounded down
    // 4 m f / 2^64 + 1e-9 / m, for m cut to half its length at the worst, and the two roundings.
    const auto m = static_cast<double>(modulus_s);
    const double share = 4 * m * static_cast<double>(hz) / 0x1p64 + 2e-9 / m;
    CHECK(static_cast<double>(exact - split) <= share * static_cast<double>(exact) + 2);
  }
}

TEST_CASE("split scale: a modulus of an hour costs hundreds of ppb, the wide product nothing",
          "[clock]") {
  constexpr std::uint64_t kHz = 2'445'428'000;
  constexpr std::uint64_t kSecond = kHz;
  const auto error_of = [](std::uint64_t ns, std::uint64_t seconds) {
    return 1e9 - 1e9 * static_cast<double>(ns) / (1e9 * static_cast<double>(seconds));  // ppb
  };
  const std::uint64_t most_of_it = 3540;  // the factor of whole moduli is not in use yet
  CHECK(error_of(SplitScale::from_hz(kHz, 3600).to_ns(most_of_it * kSecond), most_of_it) > 100);
  CHECK(error_of(SplitScale::from_hz(kHz, 1).to_ns(most_of_it * kSecond), most_of_it) < 1);
  CHECK(TickScale::from_hz(static_cast<double>(kHz)).to_ns(most_of_it * kSecond) ==
        most_of_it * 1'000'000'000);
}

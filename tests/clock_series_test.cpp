// clock_series_test.cpp: granule, standstill and steps backwards in recorded readings.
#include "clock/series.hpp"
#include "tests/catch.hpp"

#include <cmath>
#include <random>

namespace {

using namespace chronio::clock;

/// Readings of a counter of `ghz` ticks per ns that moves in steps of `granule` ticks, taken every
/// `cost_ns` or a little more.
std::vector<std::uint64_t> readings(double ghz, double granule, double cost_ns,
                                    std::uint64_t start = 1'000'000) {
  std::mt19937_64 dice(42);
  std::vector<std::uint64_t> series;
  double ns = 0;
  for (int i = 0; i < 2048; ++i) {
    ns += cost_ns + static_cast<double>(dice() % 1000) * 0.02;
    if (dice() % 500 == 0) ns += 5'000;  // an interrupt
    const double ticks = std::floor(ns * ghz / granule) * granule;
    series.push_back(start + static_cast<std::uint64_t>(ticks));
  }
  return series;
}

double granule_of(const std::vector<std::uint64_t>& series) {
  return examine_series(series, 64).granule_ticks;
}

}  // namespace

TEST_CASE("series: the granule is found by folding, also where it is no whole number of ticks",
          "[clock]") {
  // 0.5 %: the candidates' own spacing.
  CHECK(granule_of(readings(2.445, 24.49998, 11)) == Approx(24.5).epsilon(0.005));
  CHECK(granule_of(readings(2.096, 21, 18)) == Approx(21).epsilon(0.005));
  CHECK(granule_of(readings(1.0, 40, 20)) == Approx(40).epsilon(0.005));
}

TEST_CASE("series: the granule is found when several fit between two readings", "[clock]") {
  CHECK(granule_of(readings(2.096, 21, 60)) == Approx(21).epsilon(0.005));
}

TEST_CASE("series: a counter that moves tick by tick has a granule of 1", "[clock]") {
  CHECK(granule_of(readings(2.096, 1, 18)) == 1);
  CHECK(granule_of(readings(5.0, 1, 25)) == 1);
}

TEST_CASE("series: a slow counter's granule is its tick", "[clock]") {
  CHECK(granule_of(readings(0.024, 1, 12)) == 1);
}

TEST_CASE("series: a granule far longer than a reading is found", "[clock]") {
  CHECK(granule_of(readings(1.0, 1000, 20)) == Approx(1000).epsilon(0.005));
}

TEST_CASE("series: a counter that does not move is stuck", "[clock]") {
  const std::vector<std::uint64_t> series(100, 77);
  const SeriesFacts facts = examine_series(series, 64);
  CHECK(facts.stuck);
  CHECK(facts.readings == 100);
  CHECK(facts.granule_ticks == 0);
}

TEST_CASE("series: steps backwards are counted and are no standstill", "[clock]") {
  std::vector<std::uint64_t> series = readings(2.096, 21, 18);
  for (std::size_t i = 1000; i < series.size(); ++i) series[i] -= 1'000'000;
  const SeriesFacts facts = examine_series(series, 64);
  CHECK(facts.decreases == 1);
  CHECK_FALSE(facts.stuck);
  CHECK(examine_series(readings(2.096, 21, 18), 64).decreases == 0);
}

TEST_CASE("series: the wrap of the counter is no step backwards", "[clock]") {
  const std::uint64_t before_wrap = ~std::uint64_t{0} - 10'000;
  CHECK(examine_series(readings(2.096, 21, 18, before_wrap), 64).decreases == 0);

  std::vector<std::uint64_t> narrow = readings(1.0, 10, 18, (std::uint64_t{1} << 56U) - 10'000);
  for (std::uint64_t& reading : narrow) reading &= (std::uint64_t{1} << 56U) - 1;
  CHECK(examine_series(narrow, 56).decreases == 0);
  CHECK(examine_series(narrow, 64).decreases == 1);
}

TEST_CASE("series: a real series of the kernel's clock advances and never goes back", "[clock]") {
  const std::vector<std::uint64_t> series = take_series(CounterKind::monotonic, 2048);
  REQUIRE(series.size() == 2048);
  const SeriesFacts facts = examine_series(series, 64);
  CHECK(facts.decreases == 0);
  CHECK_FALSE(facts.stuck);
}

TEST_CASE("series: interrupted readings don't count for the mean of back-to-back ones", "[clock]") {
  std::vector<std::uint64_t> readings = {0};
  for (int i = 0; i < 100; ++i) readings.push_back(readings.back() + (i % 2 == 0 ? 49 : 73));
  readings.push_back(readings.back() + 1'000'000);
  const BackToBack facts = examine_back_to_back(readings, 64);
  CHECK(facts.mean == 61);
  CHECK((facts.median == 49 || facts.median == 73));
  CHECK(examine_back_to_back({}, 64).mean == 0);
}

// pmu_series_test.cpp: totals and intervals out of windows.
#include "pmu/rotator.hpp"
#include "pmu/series.hpp"
#include "tests/catch.hpp"

#include <cmath>

namespace {

using namespace chronio::pmu;

void add(EventSeries& series, std::uint64_t trigger, std::uint64_t counted) {
  series.add(trigger, trigger, counted, trigger);
}

}  // namespace

TEST_CASE("series: with nothing counted there is no interval", "[pmu]") {
  const EventSeries series;
  CHECK(series.sums().windows == 0);
  CHECK(std::isinf(series.estimate(1000).half95));
  CHECK(series.estimate(1000).coverage == 0);
}

TEST_CASE("series: below four windows the interval is infinite", "[pmu]") {
  EventSeries series;
  for (int i = 0; i < 3; ++i) {
    add(series, 1000, 10);
    CHECK(std::isinf(series.estimate(1e6).half95));
  }
  add(series, 1000, 10);
  CHECK(std::isfinite(series.estimate(1e6).half95));
}

TEST_CASE("series: a constant rate has no interval to speak of", "[pmu]") {
  EventSeries series;
  for (std::uint64_t i = 1; i <= 1000; ++i) add(series, 100 * i, i);
  const Estimate estimate = series.estimate(4 * 100 * 500'500.0);
  CHECK(estimate.total == Approx(4 * 500'500.0));
  CHECK(estimate.half95 < 1e-3 * estimate.total);
}

TEST_CASE("series: blocks that merge keep the totals", "[pmu]") {
  EventSeries series;
  std::uint64_t counted = 0;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    add(series, 1000, 10 + i % 7);
    counted += 10 + i % 7;
  }
  CHECK(series.sums().counted == counted);
  const Estimate estimate = series.estimate(4e7);
  CHECK(estimate.total == Approx(4.0 * static_cast<double>(counted)));
  CHECK(estimate.half95 > 0);
  CHECK(estimate.half95 < 0.01 * estimate.total);
}

TEST_CASE("series: an estimate is never below what was counted", "[pmu]") {
  EventSeries series;
  for (int i = 0; i < 10; ++i) add(series, 1000, 10);
  CHECK(series.estimate(9'000).total >= 100);
}

TEST_CASE("series: neighbours that are alike widen the interval", "[pmu]") {
  EventSeries mixed, runs;
  for (std::uint64_t i = 0; i < 4096; ++i) {
    add(mixed, 1000, i % 2 == 0 ? 10 : 30);
    add(runs, 1000, i / 512 % 2 == 0 ? 10 : 30);
  }
  const double narrow = mixed.estimate(4e7).half95;
  const double wide = runs.estimate(4e7).half95;
  CHECK(wide > 5 * narrow);  // by independence both would be alike; 8 long runs are 8 draws
}

TEST_CASE("series: the 95 % interval holds the truth of independent windows", "[pmu]") {
  Random random(99);
  constexpr int kRuns = 400;
  int hits = 0;
  for (int run = 0; run < kRuns; ++run) {
    EventSeries series;
    std::uint64_t triggers = 0, truth = 0;
    for (int i = 0; i < 400; ++i) {
      const auto trigger = static_cast<std::uint64_t>(1e6 * (0.5 + random.unit()));
      const auto count = static_cast<std::uint64_t>(static_cast<double>(trigger) * 0.01 *
                                                    (0.2 + 1.6 * random.unit()));
      triggers += trigger;
      truth += count;
      if (random.below(4) == 0) add(series, trigger, count);
    }
    const Estimate estimate = series.estimate(static_cast<double>(triggers));
    hits += std::fabs(estimate.total - static_cast<double>(truth)) <= estimate.half95 ? 1 : 0;
  }
  CHECK(hits >= 368);  // 380 expected of a sharp interval; 4.36 is its standard deviation
}

TEST_CASE("series: Student's t is within 1 % of the tables", "[pmu]") {
  CHECK(std::isinf(t95(0)));
  CHECK(t95(1) == Approx(12.706).epsilon(0.01));
  CHECK(t95(2) == Approx(4.303).epsilon(0.01));
  CHECK(t95(3) == Approx(3.182).epsilon(0.01));
  CHECK(t95(5) == Approx(2.571).epsilon(0.01));
  CHECK(t95(10) == Approx(2.228).epsilon(0.01));
  CHECK(t95(30) == Approx(2.042).epsilon(0.01));
  CHECK(t95(1'000'000) == Approx(1.960).epsilon(0.001));
}

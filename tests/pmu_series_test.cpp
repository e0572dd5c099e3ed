// pmu_series_test.cpp: totals and intervals out of windows.
#include "pmu/rotator.hpp"
#include "pmu/series.hpp"
#include "tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

using namespace chronio::pmu;

void add(EventSeries& series, std::uint64_t trigger, std::uint64_t counted) {
  series.add(trigger, trigger, counted, trigger);
}

struct Sample {
  double scale = 0, counted = 0;
};

Sample sum(const std::vector<Sample>& samples) {
  Sample sum;
  for (const Sample& each : samples) sum = {sum.scale + each.scale, sum.counted + each.counted};
  return sum;
}

/// Standard error of the rate as Cochran has it: in two passes, from the windows themselves.
double cochran(const std::vector<Sample>& windows) {
  const Sample all = sum(windows);
  double squares = 0;
  for (const Sample& each : windows)
    squares += std::pow(each.counted - all.counted / all.scale * each.scale, 2);
  const auto n = static_cast<double>(windows.size());
  return std::sqrt(n / (n - 1) * squares) / all.scale;
}

/// The same as Tukey has it: from the rates without one block each.
double tukey(const std::vector<Sample>& blocks) {
  const Sample all = sum(blocks);
  std::vector<double> rates;
  for (const Sample& each : blocks)
    rates.push_back((all.counted - each.counted) / (all.scale - each.scale));
  const auto n = static_cast<double>(blocks.size());
  double mean = 0, squares = 0;
  for (const double rate : rates) mean += rate / n;
  for (const double rate : rates) squares += std::pow(rate - mean, 2);
  return std::sqrt(squares * (n - 1) / n);
}

/// Whole blocks alone, of as few windows each (a power of two) as make 64 blocks at most.
std::vector<Sample> blocks_of(const std::vector<Sample>& windows) {
  std::size_t length = 1;
  while (windows.size() > 64 * length) length *= 2;
  std::vector<Sample> blocks(windows.size() / length);
  for (std::size_t i = 0; i < blocks.size() * length; ++i)
    blocks[i / length] = sum({blocks[i / length], windows[i]});
  return blocks;
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

TEST_CASE("series: an event that came in no window has no interval, unless all of the run was seen",
          "[pmu]") {
  // All windows are alike, which says nothing of what happened between them.
  EventSeries series;
  for (int i = 0; i < 100; ++i) add(series, 1000, 0);
  CHECK(std::isinf(series.estimate(400'000).half95));
  CHECK(series.estimate(400'000).total == 0);
  CHECK(series.estimate(100'000).half95 == 0);
  add(series, 1000, 1);
  CHECK(std::isfinite(series.estimate(400'000).half95));
  CHECK(series.estimate(400'000).half95 > 4);
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
  const Estimate estimate = series.estimate(9'000);
  CHECK(estimate.total >= 100);
  CHECK(estimate.coverage == 1);
  CHECK(estimate.half95 == 0);
}

TEST_CASE("series: the interval is the wider one of the textbooks' two", "[pmu]") {
  for (const bool swings : {true, false}) {  // long ones, or up and down from window to window
    INFO((swings ? "long swings" : "up and down"));
    Random random(5);
    EventSeries series;
    std::vector<Sample> windows;
    double swing = 0;
    for (std::size_t n = 1; n <= 300; ++n) {
      swing = swings ? swing + random.unit() - 0.5 : static_cast<double>(n % 2);
      const auto trigger = 500 + random.below(1000);
      const double rate = 0.1 + 0.05 * std::abs(swing) + 0.01 * random.unit();
      const auto counted = static_cast<std::uint64_t>(static_cast<double>(trigger) * rate);
      add(series, trigger, counted);
      windows.push_back({static_cast<double>(trigger), static_cast<double>(counted)});
      if (n < kFewestWindows) continue;
      const std::vector<Sample> blocks = blocks_of(windows);
      const double by_windows = t95(n - 1) * cochran(windows);
      const double by_blocks = t95(blocks.size() - 1) * tukey(blocks);
      INFO(n << " windows: " << by_windows << ", " << blocks.size() << " blocks: " << by_blocks);
      // Once blocks are longer than a window. So each of the two formulas decides somewhere.
      if (n > 128) CHECK((by_blocks > by_windows) == swings);
      const double whole = 4 * sum(windows).scale;
      // A quarter was seen: the variance is three quarters of that of an endless run.
      CHECK(series.estimate(whole).half95 ==
            Approx(std::max(by_windows, by_blocks) * whole * std::sqrt(0.75)).epsilon(1e-9));
    }
  }
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
  CHECK(t95(1) == 12.706);
  CHECK(t95(2) == 4.303);
  CHECK(t95(3) == Approx(3.182).epsilon(0.01));
  CHECK(t95(5) == Approx(2.571).epsilon(0.01));
  CHECK(t95(10) == Approx(2.228).epsilon(0.01));
  CHECK(t95(30) == Approx(2.042).epsilon(0.01));
  CHECK(t95(1'000'000) == Approx(1.960).epsilon(0.001));
}

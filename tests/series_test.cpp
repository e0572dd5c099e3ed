// series_test.cpp: the interval series of a worker.
#include "runner/series.hpp"

#include "tests/catch.hpp"

using chronio::results::Interval;
using chronio::runner::Series;
using chronio::runner::Totals;

namespace {

constexpr std::uint64_t kHalfSecond = 500'000'000;

Totals reads(std::uint64_t ios) {
  Totals totals;
  totals.ios[0] = ios;
  totals.bytes[0] = ios * 4096;
  return totals;
}

}  // namespace

TEST_CASE("series: an interval holds what came since the last call", "[runner]") {
  Series series;
  series.add(kHalfSecond, reads(100));
  series.add(2 * kHalfSecond, reads(250));
  REQUIRE(series.intervals().size() == 2);
  const Interval& second = series.intervals()[1];
  CHECK(second.start_ns == kHalfSecond);
  CHECK(second.length_ns == kHalfSecond);
  CHECK(second.ios[0] == 150);
  CHECK(second.bytes[0] == 150 * 4096);
  CHECK(second.ios[1] == 0);
}

TEST_CASE("series: a call at the time of the last one adds nothing", "[runner]") {
  Series series;
  series.add(kHalfSecond, reads(100));
  series.add(kHalfSecond, reads(100));
  CHECK(series.intervals().size() == 1);
}

TEST_CASE("series: a day of half seconds stays bounded, gap-free, and sums to the total",
          "[runner]") {
  Series series;
  constexpr std::uint64_t kCalls = 2 * 24 * 3600;
  for (std::uint64_t i = 1; i <= kCalls; ++i) series.add(i * kHalfSecond, reads(i * 7));
  REQUIRE(series.intervals().size() <= Series::kMost);
  REQUIRE(series.intervals().size() > Series::kMost / 4);
  std::uint64_t ios = 0;
  std::uint64_t end = 0;
  for (const Interval& interval : series.intervals()) {
    REQUIRE(interval.start_ns == end);
    end += interval.length_ns;
    ios += interval.ios[0];
  }
  CHECK(ios == kCalls * 7);
  CHECK(end == kCalls * kHalfSecond);
}

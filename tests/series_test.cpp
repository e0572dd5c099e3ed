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

/// Of all intervals: ns, reads and their bytes.
struct Sums {
  std::uint64_t length_ns = 0, ios = 0, bytes = 0;
  bool operator==(const Sums&) const = default;
};

Sums totals_of(const Series& series) {
  Sums sums;
  for (const Interval& interval : series.intervals()) {
    sums.length_ns += interval.length_ns;
    sums.ios += interval.ios[0];
    sums.bytes += interval.bytes[0];
  }
  return sums;
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

TEST_CASE("series: the end adds what came since the last sample", "[runner]") {
  Series series;
  series.add(kHalfSecond, reads(100));
  series.close(kHalfSecond + 7, reads(130));
  REQUIRE(series.intervals().size() == 2);
  CHECK(series.intervals().back().length_ns == 7);
  CHECK(totals_of(series) == Sums{kHalfSecond + 7, 130, 130 * 4096});
}

TEST_CASE("series: an end at or before the last sample moves it back and loses nothing",
          "[runner]") {
  // Samples are taken by another thread, and by the clock's first rate: they may lie beyond the
  // end, and the worker may have gone on between a sample and its end.
  for (const std::uint64_t end : {std::uint64_t{1}, kHalfSecond - 1, kHalfSecond, kHalfSecond + 1,
                                  2 * kHalfSecond - 1, 2 * kHalfSecond}) {
    CAPTURE(end);
    Series series;
    series.add(kHalfSecond, reads(100));
    series.add(2 * kHalfSecond, reads(250));
    series.close(end, reads(260));
    CHECK(totals_of(series) == Sums{end, 260, 260 * 4096});
    for (const Interval& interval : series.intervals()) CHECK(interval.length_ns > 0);
  }
}

TEST_CASE("series: an end without a sample is one interval, and none without time", "[runner]") {
  Series series;
  series.close(5, reads(1));
  CHECK(totals_of(series) == Sums{5, 1, 4096});
  Series nothing;
  nothing.close(0, {});
  CHECK(nothing.intervals().empty());
}

TEST_CASE("series: an end loses nothing after neighbours were joined", "[runner]") {
  for (std::uint64_t calls = Series::kMost - 1; calls < 2 * Series::kMost + 4; ++calls) {
    Series series;
    for (std::uint64_t i = 1; i <= calls; ++i) series.add(i * kHalfSecond, reads(i * 7));
    const std::uint64_t end = calls * kHalfSecond - 3;
    series.close(end, reads(calls * 7 + 1));
    REQUIRE(totals_of(series) == Sums{end, calls * 7 + 1, (calls * 7 + 1) * 4096});
  }
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
    // All of one resolution; the last has yet to be filled.
    if (&interval != &series.intervals().back())
      REQUIRE(interval.length_ns == series.intervals().front().length_ns);
    end += interval.length_ns;
    ios += interval.ios[0];
  }
  CHECK(ios == kCalls * 7);
  CHECK(end == kCalls * kHalfSecond);
}

// counts_test.cpp: merge and estimates from bucket counts.
#include "stats/counts.hpp"

#include "stats/histogram.hpp"
#include "tests/catch.hpp"

#include <algorithm>
#include <random>
#include <vector>

using namespace chronio::stats;

namespace {

std::uint64_t any_latency(std::mt19937_64& random) { return random() >> (18 + random() % 46); }

Counts merged(const std::vector<Counts>& parts) {
  Counts sum;
  for (const Counts& part : parts) merge(sum, part);
  return sum;
}

}  // namespace

TEST_CASE("counts: any split and any order of merging give the same", "[stats]") {
  std::mt19937_64 random(2);
  std::vector<std::uint64_t> values(20'000);
  for (std::uint64_t& ns : values) ns = any_latency(random);
  Histogram whole;
  for (const std::uint64_t ns : values) whole.record(ns);
  REQUIRE(whole.overflow() > 0);
  for (const std::size_t parts : {1U, 2U, 3U, 7U, 16U, 64U}) {
    std::vector<Histogram> split(parts);
    for (const std::uint64_t ns : values) split[random() % parts].record(ns);
    std::vector<Counts> counts;
    for (const Histogram& part : split) counts.push_back(part.counts());
    std::shuffle(counts.begin(), counts.end(), random);
    // Pairs first, as files of several hosts that were merged before.
    std::vector<Counts> pairs;
    for (std::size_t i = 0; i < parts; i += 2)
      pairs.push_back(
          merged({counts.begin() + static_cast<std::ptrdiff_t>(i),
                  counts.begin() + static_cast<std::ptrdiff_t>(std::min(i + 2, parts))}));
    REQUIRE(merged(counts) == whole.counts());
    REQUIRE(merged(pairs) == whole.counts());
  }
}

TEST_CASE("counts: merging with itself doubles", "[stats]") {
  Counts counts = {{{3, 1}, {9, 4}}, 2};
  merge(counts, counts);
  CHECK(counts == Counts{{{3, 2}, {9, 8}}, 4});
}

TEST_CASE("counts: merging nothing changes nothing", "[stats]") {
  const Counts some = {{{3, 1}, {9, 4}}, 2};
  Counts counts = some;
  merge(counts, {});
  CHECK(counts == some);
  Counts empty;
  merge(empty, some);
  CHECK(empty == some);
}

TEST_CASE("counts: the total counts overflow too", "[stats]") {
  CHECK(Counts{}.total() == 0);
  CHECK(Counts{}.empty());
  CHECK(Counts{{{3, 1}, {9, 4}}, 2}.total() == 7);
  CHECK_FALSE(Counts{{}, 2}.empty());
}

TEST_CASE("counts: moments from buckets lie within half a bucket of the exact ones", "[stats]") {
  std::mt19937_64 random(5);
  Histogram histogram;
  Moments exact;
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t ns = 50'000 + random() % 400'000;
    histogram.record(ns);
    exact.record(ns);
  }
  const Moments estimate = moments_of(histogram.counts());
  CHECK(estimate.n == exact.n);
  // Each is up to 0.39 % off, but to both sides: of 100,000 evenly spread ones that cancels out.
  CHECK(estimate.mean() == Approx(exact.mean()).epsilon(0.0001));
  CHECK(estimate.stddev() == Approx(exact.stddev()).epsilon(0.01));
  CHECK(bucket_of(estimate.min) == bucket_of(exact.min));
  CHECK(bucket_of(estimate.max) == bucket_of(exact.max));
  CHECK(estimate.min <= exact.min);
  CHECK(estimate.max >= exact.max);
}

TEST_CASE("counts: moments from buckets are exact up to 255 ns", "[stats]") {
  Histogram histogram;
  Moments exact;
  for (std::uint64_t ns = 0; ns < 256; ns += 3) {
    histogram.record(ns);
    exact.record(ns);
  }
  CHECK(moments_of(histogram.counts()) == exact);
  CHECK(moments_of({}) == Moments{});
}

TEST_CASE("counts: moments from buckets take overflow for 2^44 ns", "[stats]") {
  const Moments moments = moments_of({{{100, 1}}, 2});
  CHECK(moments.n == 3);
  CHECK(moments.min == 100);
  CHECK(moments.max == kLimit);
  CHECK(moments.sum == 100 + 2 * kLimit);
}

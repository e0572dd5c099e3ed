// histogram_test.cpp: bucket layout, recording, snapshots of the latency histogram.
#include "stats/histogram.hpp"

#include "tests/catch.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <random>
#include <thread>
#include <vector>

using namespace chronio::stats;

namespace {

/// HdrHistogram's countsArrayIndex for lowest value 1 and two significant digits, written from its
/// description: 256 sub-buckets, of which all buckets but the first use the upper half.
std::uint32_t hdr_index(std::uint64_t value) {
  std::uint32_t bucket = 0;
  while ((value >> bucket) >= 256) ++bucket;
  const auto sub_bucket = static_cast<std::uint32_t>(value >> bucket);
  return ((bucket + 1) * 128) + sub_bucket - 128;
}

/// All of 0 to 2^20 and what lies about every power of two below 2^44.
std::vector<std::uint64_t> telling_values() {
  std::vector<std::uint64_t> values;
  for (std::uint64_t ns = 0; ns <= std::uint64_t{1} << 20; ++ns) values.push_back(ns);
  for (std::uint32_t bit = 20; bit < kMaxBits; ++bit)
    for (std::uint64_t offset = 0; offset < 3; ++offset)
      values.push_back((std::uint64_t{1} << bit) - 1 + offset);
  values.push_back(kLimit - 1);
  return values;
}

/// Latencies over the whole range: each power of two is equally likely.
std::uint64_t any_latency(std::mt19937_64& random) { return random() >> (20 + random() % 44); }

std::uint64_t sum(const Histogram& histogram) { return histogram.counts().total(); }

}  // namespace

TEST_CASE("buckets: every value lies inside its bucket, at most 1/128 of it wide", "[stats]") {
  std::uint64_t wrong = 0;
  for (const std::uint64_t ns : telling_values()) {
    const std::uint32_t index = bucket_of(ns);
    const std::uint64_t low = bucket_low(index);
    const std::uint64_t width = bucket_width(index);
    const bool holds = index < kBuckets && low <= ns && ns - low < width;
    const bool narrow = width == 1 || width * 128 <= low;
    if (!holds || !narrow) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("buckets: each begins where the one before ends, from 0 to 2^44", "[stats]") {
  std::uint64_t end = 0;
  for (std::uint32_t index = 0; index < kBuckets; ++index) {
    REQUIRE(bucket_low(index) == end);
    REQUIRE(bucket_of(end) == index);
    end += bucket_width(index);
  }
  CHECK(end == kLimit);
}

TEST_CASE("buckets: their numbers are those of HdrHistogram with two digits", "[stats]") {
  std::uint64_t wrong = 0;
  for (const std::uint64_t ns : telling_values())
    if (bucket_of(ns) != hdr_index(ns)) ++wrong;
  CHECK(wrong == 0);
}

TEST_CASE("histogram: counts every latency once, in its bucket", "[stats]") {
  std::mt19937_64 random(1);
  Histogram histogram;
  std::map<std::uint32_t, std::uint64_t> expected;
  for (int i = 0; i < 200'000; ++i) {
    const std::uint64_t ns = any_latency(random);
    histogram.record(ns);
    ++expected[hdr_index(ns)];
  }
  const Counts counts = histogram.counts();
  CHECK(counts.overflow == 0);
  CHECK(std::map<std::uint32_t, std::uint64_t>(counts.buckets.begin(), counts.buckets.end()) ==
        expected);
  CHECK(std::is_sorted(counts.buckets.begin(), counts.buckets.end()));
}

TEST_CASE("histogram: a new one is empty", "[stats]") {
  const Histogram histogram;
  CHECK(histogram.counts().empty());
  CHECK(histogram.count(0) == 0);
}

TEST_CASE("histogram: latencies from 2^44 ns on are counted as overflow", "[stats]") {
  Histogram histogram;
  for (const std::uint64_t ns : {kLimit - 1, kLimit, kLimit + 1, ~std::uint64_t{0}})
    histogram.record(ns);
  CHECK(histogram.overflow() == 3);
  CHECK(histogram.count(kBuckets - 1) == 1);
  CHECK(histogram.counts().total() == 4);
}

TEST_CASE("histogram: take_new gives what came since the last call", "[stats]") {
  Histogram histogram;
  std::vector<std::uint64_t> seen(kBuckets + 1);
  histogram.record(5);
  histogram.record(1'000);
  Counts first;
  histogram.take_new(seen, first);
  CHECK(first == histogram.counts());

  histogram.record(1'000);
  histogram.record(kLimit);
  Counts second;
  histogram.take_new(seen, second);
  CHECK(second == Counts{{{bucket_of(1'000), 1}}, 1});

  Counts nothing;
  histogram.take_new(seen, nothing);
  CHECK(nothing.empty());
}

TEST_CASE("histogram: take_new adds to counts that hold something already", "[stats]") {
  Histogram histogram;
  std::vector<std::uint64_t> seen(kBuckets + 1);
  Counts counts = {{{5, 2}, {100, 7}}, 1};
  histogram.record(5);
  histogram.record(50);
  histogram.take_new(seen, counts);
  CHECK(counts == Counts{{{5, 3}, {50, 1}, {100, 7}}, 1});
}

TEST_CASE("histogram: snapshots beside the writer lose nothing and count nothing twice",
          "[stats]") {
  constexpr int kLatencies = 400'000;
  Histogram histogram;
  std::atomic<bool> done = false;
  std::thread writer([&] {
    std::mt19937_64 random(7);
    for (int i = 0; i < kLatencies; ++i)
      histogram.record(i % 1'000 == 0 ? kLimit : any_latency(random));
    done = true;
  });
  std::vector<std::uint64_t> seen(kBuckets + 1);
  Counts all;
  std::uint64_t highest = 0;
  bool shrank = false;
  while (!done) {
    histogram.take_new(seen, all);
    shrank = shrank || sum(histogram) < highest;
    highest = all.total();
  }
  writer.join();
  histogram.take_new(seen, all);
  CHECK_FALSE(shrank);
  CHECK(all.total() == kLatencies);
  CHECK(all == histogram.counts());
}

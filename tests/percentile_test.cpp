// percentile_test.cpp: rank and value of percentiles, against the sorted latencies.
#include "stats/counts.hpp"
#include "stats/histogram.hpp"
#include "tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <string>
#include <vector>

using namespace chronio::stats;

namespace {

struct Recorded {
  Histogram histogram;
  Moments moments;

  explicit Recorded(const std::vector<std::uint64_t>& values) {
    for (const std::uint64_t ns : values) {
      histogram.record(ns);
      moments.record(ns);
    }
  }
  double percentile(double percent) const {
    return chronio::stats::percentile(histogram.counts(), moments, percent).value();
  }
};

/// `n` latencies, each in a bucket of its own: the k-th in bucket k.
Counts one_per_bucket(std::uint32_t n) {
  Counts counts;
  for (std::uint32_t i = 1; i <= n; ++i) counts.buckets.emplace_back(i, 1);
  return counts;
}

std::uint64_t rank(const Counts& counts, double percent) {
  const double ns = percentile(counts, moments_of(counts), percent).value();
  return bucket_of(static_cast<std::uint64_t>(ns));
}

/// Uniform in (0, 1). Own transforms: what std's distributions draw differs between libraries.
double uniform(std::mt19937_64& random) {
  return (static_cast<double>(random() >> 12) + 0.5) / 4503599627370496.0;
}

double normal(std::mt19937_64& random) {
  const double radius = std::sqrt(-2 * std::log(uniform(random)));
  return radius * std::cos(2 * std::numbers::pi * uniform(random));
}

struct Shape {
  std::string name;
  std::function<double(std::mt19937_64&)> draw;  ///< ns
};

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {
      {"steady 10 us, 3 %", [](auto& random) { return 10'000 * (1 + 0.03 * normal(random)); }},
      {"flash reads, log-normal",
       [](auto& random) { return 80'000 * std::exp(0.2 * normal(random)); }},
      {"saturated queue", [](auto& random) { return 2e6 - 4e5 * std::log(uniform(random)); }},
      {"two peaks and stalls",
       [](auto& random) {
         const double u = uniform(random);
         if (u < 0.002) return 5e6 - 2e7 * std::log(uniform(random));
         return (u < 0.3 ? 12'000 : 95'000) * std::exp(0.1 * normal(random));
       }},
      {"heavy tail", [](auto& random) { return 20'000 * std::pow(uniform(random), -0.6); }},
  };
  return all;
}

}  // namespace

TEST_CASE("percentile: there is none without latencies", "[stats]") {
  CHECK_FALSE(percentile({}, {}, 50).has_value());
}

TEST_CASE("percentile: the rank is ceil(percent / 100 * n) of the decimal as written", "[stats]") {
  const Counts thousand = one_per_bucket(1'000);
  CHECK(rank(thousand, 99.9) == 999);
  CHECK(rank(thousand, 99.91) == 1'000);
  CHECK(rank(thousand, 99.89) == 999);
  CHECK(rank(thousand, 0.1) == 1);
  CHECK(rank(thousand, 0.100001) == 2);
  CHECK(rank(thousand, 50) == 500);
  CHECK(rank(thousand, 100) == 1'000);
  for (std::uint32_t tenths = 1; tenths <= 1'000; ++tenths) {
    INFO(tenths);
    REQUIRE(rank(thousand, static_cast<double>(tenths) / 10) == tenths);
  }
}

TEST_CASE("percentile: the rank is exact for more latencies than a double can count", "[stats]") {
  constexpr std::uint64_t kPart = 10'000'000'000'000'000;  // n is 10^19
  const Counts even = {{{10, 999 * kPart}, {20, kPart}}, 0};
  const Counts one_less = {{{10, 999 * kPart - 1}, {20, kPart + 1}}, 0};
  CHECK(rank(even, 99.9) == 10);
  CHECK(rank(one_less, 99.9) == 20);
  CHECK(rank({{{10, 999'999}, {20, 1}}, 0}, 99.9999) == 10);
  CHECK(rank({{{10, 999'998}, {20, 2}}, 0}, 99.9999) == 20);
  CHECK(rank({{{10, 12}, {20, 999'988}}, 0}, 0.0012345678901234567) == 20);  // the 13th
}

TEST_CASE("percentile: 0 and the smallest fractions mean the first latency", "[stats]") {
  const Counts counts = one_per_bucket(200);
  for (const double percent : {0.0, 1e-300, 5e-324, 1e-37, 0.5}) CHECK(rank(counts, percent) == 1);
}

TEST_CASE("percentile: 0.5 is half a percent, not the median", "[stats]") {
  const Recorded five({10, 90, 1'000'000, 1'000'001, 1'000'002});
  CHECK(five.percentile(0.5) == 10);
}

TEST_CASE("percentile: the median of five latencies is close to the third, not above all",
          "[stats]") {
  const Recorded five({10, 90, 1'000'000, 1'000'001, 1'000'002});
  CHECK(five.percentile(50) <= 1'000'002);
  CHECK(five.percentile(50) == Approx(1'000'000).epsilon(0.004));
  CHECK(five.percentile(20) == 10);
  CHECK(five.percentile(40) == 90);
  CHECK(five.percentile(100) <= 1'000'002);
}

TEST_CASE("percentile: exact where buckets are 1 ns wide", "[stats]") {
  std::vector<std::uint64_t> values;
  for (std::uint64_t ns = 0; ns < 256; ++ns) values.insert(values.end(), 1 + ns % 5, ns);
  const Recorded recorded(values);
  for (std::size_t i = 1; i <= values.size(); ++i) {
    const double percent = 100 * static_cast<double>(i) / static_cast<double>(values.size());
    const auto below = static_cast<double>(values[i - 1]);
    const auto above = static_cast<double>(values[std::min(i, values.size() - 1)]);
    const double found = recorded.percentile(percent);
    INFO(i);  // a percentage may round to just above the rank
    REQUIRE((found == below || found == above));
  }
}

TEST_CASE("percentile: ten latencies of a bucket are spread evenly over it, nine are its middle",
          "[stats]") {
  const std::uint32_t bucket = bucket_of(1U << 20U);
  const auto first = static_cast<double>(bucket_low(bucket));
  const auto last = first + static_cast<double>(bucket_width(bucket) - 1);
  const Moments wide = {10, 0, kLimit, 0, 0};
  for (std::uint64_t count = 9; count <= 12; ++count)
    for (std::uint64_t k = 1; k <= count; ++k) {
      INFO(k << " of " << count);
      const double share =
          count < 10 ? 0.5 : (static_cast<double>(k) - 0.5) / static_cast<double>(count);
      // Half a rank less: so no rounding of the percentage can lead to the next one.
      const double percent = 100 * (static_cast<double>(k) - 0.5) / static_cast<double>(count);
      CHECK(percentile({{{bucket, count}}, 0}, wide, percent) ==
            Approx(first + (last - first) * share).epsilon(1e-12));
    }
}

TEST_CASE("percentile: one latency is all percentiles", "[stats]") {
  for (const std::uint64_t ns :
       {std::uint64_t{0}, std::uint64_t{731}, std::uint64_t{123'456'789}, kLimit, kLimit * 5}) {
    const Recorded one({ns});
    for (const double percent : {0.0, 50.0, 99.9999, 100.0})
      CHECK(one.percentile(percent) == static_cast<double>(ns));
  }
}

TEST_CASE("percentile: inside the overflow it lies between 2^44 ns and the maximum", "[stats]") {
  const Recorded recorded({5, kLimit, kLimit + 10, 3 * kLimit});
  CHECK(recorded.percentile(25) == 5);
  // Only the highest of the three is known: the middle is what any of them is taken for.
  CHECK(recorded.percentile(50) == Approx(static_cast<double>(2 * kLimit)));
  CHECK(recorded.percentile(50) <= recorded.percentile(100));
  CHECK(recorded.percentile(100) <= static_cast<double>(3 * kLimit));
}

TEST_CASE("percentile: never falls as percent rises, never leaves [min, max]", "[stats]") {
  std::mt19937_64 random(11);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::uint64_t> values(1 + random() % 60);
    const auto shift = 18 + random() % 46;
    for (std::uint64_t& ns : values) ns = random() >> shift;
    const Recorded recorded(values);
    double last = static_cast<double>(recorded.moments.min);
    for (int i = 0; i <= 400; ++i) {
      const double found = recorded.percentile(i / 4.0);
      REQUIRE(found >= last);
      last = found;
    }
    REQUIRE(last <= static_cast<double>(recorded.moments.max));
  }
}

TEST_CASE("percentile: always within the bucket of the sorted latency of its rank", "[stats]") {
  std::mt19937_64 random(12);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::uint64_t> values(100);
    for (std::uint64_t& ns : values) ns = random() >> (20 + random() % 44);
    const Recorded recorded(values);
    std::sort(values.begin(), values.end());
    for (std::size_t i = 1; i <= 100; ++i) {
      const double found = recorded.percentile(static_cast<double>(i));
      REQUIRE(bucket_of(static_cast<std::uint64_t>(found)) == bucket_of(values[i - 1]));
    }
  }
}

TEST_CASE("percentile: within 0.40 % of the sorted latencies on five shapes", "[stats]") {
  constexpr std::size_t kLatencies = 1'000'000;
  for (const Shape& shape : shapes()) {
    std::mt19937_64 random(21);
    std::vector<std::uint64_t> values(kLatencies);
    for (std::uint64_t& ns : values)
      ns = static_cast<std::uint64_t>(std::max(shape.draw(random), 1.0));
    const Recorded recorded(values);
    std::sort(values.begin(), values.end());
    const std::pair<double, std::size_t> points[] = {
        {50, 500'000},    {75, 750'000},     {90, 900'000},      {95, 950'000},
        {99, 990'000},    {99.5, 995'000},   {99.9, 999'000},    {99.95, 999'500},
        {99.99, 999'900}, {99.999, 999'990}, {99.9999, 999'999}, {100, 1'000'000}};
    for (const auto& [percent, rank_of_percent] : points) {
      INFO(shape.name << ", p" << percent);
      const auto truth = static_cast<double>(values[rank_of_percent - 1]);
      CHECK(std::abs(recorded.percentile(percent) / truth - 1) <= 0.0040);
    }
  }
}

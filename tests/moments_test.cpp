// moments_test.cpp: exact moments and what is derived from them.
#include "stats/moments.hpp"

#include "stats/latency_moments.hpp"
#include "tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace chronio::stats;

namespace {

Moments of(const std::vector<std::uint64_t>& values) {
  Moments moments;
  for (const std::uint64_t ns : values) moments.record(ns);
  return moments;
}

/// Two passes in long double: about the mean, so without cancellation.
double plain_stddev(const std::vector<std::uint64_t>& values) {
  long double mean = 0;
  for (const std::uint64_t ns : values) mean += static_cast<long double>(ns);
  mean /= static_cast<long double>(values.size());
  long double squares = 0;
  for (const std::uint64_t ns : values) {
    const long double delta = static_cast<long double>(ns) - mean;
    squares += delta * delta;
  }
  return static_cast<double>(std::sqrt(squares / static_cast<long double>(values.size() - 1)));
}

}  // namespace

TEST_CASE("moments: count, extremes and sums are exact", "[stats]") {
  const Moments moments = of({10, 90, 1'000'000, 1'000'001, 1'000'002});
  CHECK(moments.n == 5);
  CHECK(moments.min == 10);
  CHECK(moments.max == 1'000'002);
  CHECK(moments.sum == 3'000'103);
  CHECK(moments.sum_squares == Uint128{3'000'006'008'205});
  CHECK(moments.mean() == 600'020.6);
}

TEST_CASE("moments: without latencies mean and deviation are 0", "[stats]") {
  CHECK(Moments{}.mean() == 0);
  CHECK(Moments{}.stddev() == 0);
  CHECK(of({77}).mean() == 77);
  CHECK(of({77}).stddev() == 0);
}

TEST_CASE("moments: the deviation is that of a sample, by n - 1", "[stats]") {
  CHECK(of({2, 4}).stddev() == Approx(std::sqrt(2.0)).epsilon(1e-15));
  CHECK(of({2, 4, 4, 4, 5, 5, 7, 9}).stddev() == Approx(std::sqrt(32.0 / 7)).epsilon(1e-15));
}

TEST_CASE("moments: equal latencies of 1000 s have no deviation at all", "[stats]") {
  CHECK(of(std::vector<std::uint64_t>(100'000, 1'000'000'000'000)).stddev() == 0);
}

TEST_CASE("moments: a deviation of 1 ns about 1000 s is seen", "[stats]") {
  std::vector<std::uint64_t> values;
  for (std::uint64_t i = 0; i < 100'000; ++i) values.push_back(999'999'999'999 + 2 * (i % 2));
  CHECK(of(values).stddev() == Approx(std::sqrt(100'000.0 / 99'999)).epsilon(1e-12));
}

TEST_CASE("moments: the deviation agrees with two passes over the data", "[stats]") {
  std::mt19937_64 random(3);
  for (int shift = 20; shift < 62; ++shift) {
    std::vector<std::uint64_t> values;
    for (int i = 0; i < 1'000; ++i) values.push_back(random() >> shift);
    CHECK(of(values).stddev() == Approx(plain_stddev(values)).epsilon(1e-12));
  }
}

TEST_CASE("moments: the deviation of a trillion latencies is that of their shape", "[stats]") {
  Moments moments = of({80'000, 90'000, 100'000, 5'000'000});
  for (int i = 0; i < 38; ++i) {
    const Moments half = moments;
    moments.merge(half);
  }
  CHECK(moments.n == std::uint64_t{1} << 40);
  const double mean = 5'270'000.0 / 4;
  double squares = 0;
  for (const double ns : {80'000.0, 90'000.0, 100'000.0, 5'000'000.0})
    squares += (ns - mean) * (ns - mean);
  CHECK(moments.stddev() == Approx(std::sqrt(squares / 4)).epsilon(1e-9));
}

TEST_CASE("moments: any split and any order of merging give the same", "[stats]") {
  std::mt19937_64 random(4);
  std::vector<std::uint64_t> values;
  for (int i = 0; i < 10'000; ++i) values.push_back(random() >> (20 + random() % 44));
  const Moments whole = of(values);
  for (std::size_t parts = 1; parts <= 64; ++parts) {
    std::vector<Moments> split(parts);
    for (const std::uint64_t ns : values) split[random() % parts].record(ns);
    std::shuffle(split.begin(), split.end(), random);
    Moments merged;
    for (const Moments& part : split) merged.merge(part);
    REQUIRE(merged == whole);
  }
}

TEST_CASE("latency moments: those of slat, clat and lat are what three records by themselves give",
          "[stats]") {
  std::mt19937_64 dice(20261130);
  for (const unsigned bits : {1U, 12U, 31U, 32U, 33U, 44U}) {
    CAPTURE(bits);
    LatencyMoments joint;
    Moments slat;
    Moments clat;
    Moments lat;
    constexpr std::uint64_t kIos = 2000;
    for (std::uint64_t i = 0; i < kIos; ++i) {
      const std::uint64_t a = dice() >> (64 - bits) >> (dice() % 8);
      const std::uint64_t b = dice() >> (64 - bits) >> (dice() % 8);
      joint.record(a, b);
      slat.record(a);
      clat.record(b);
      lat.record(a + b);
    }
    CHECK(joint.slat(kIos) == slat);
    CHECK(joint.clat(kIos) == clat);
    CHECK(joint.lat(kIos) == lat);
  }
}

TEST_CASE("latency moments: nothing recorded is nothing", "[stats]") {
  const LatencyMoments none;
  CHECK(none.clat(0) == Moments{});
  CHECK(none.slat(0) == Moments{});
  CHECK(none.lat(0) == Moments{});
}

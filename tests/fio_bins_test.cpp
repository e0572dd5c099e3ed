// fio_bins_test.cpp: fio's latency bins from and to bucket counts.
#include "stats/fio_bins.hpp"

#include "stats/histogram.hpp"
#include "tests/catch.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <vector>

using namespace chronio::stats;

namespace {

/// fio's bin of a latency, written anew from its description: 0 to 127 ns exact, then 64 bins per
/// power of two, 29 groups of 64 in all, reported by their midpoints.
std::uint64_t fio_midpoint(std::uint64_t ns) {
  if (ns < 128) return ns;
  std::uint64_t group_low = 128;
  std::uint64_t width = 2;
  for (int group = 2; group < 28 && ns >= 2 * group_low; ++group) {
    group_low *= 2;
    width *= 2;
  }
  const std::uint64_t bin = std::min<std::uint64_t>((ns - group_low) / width, 63);
  return group_low + bin * width + width / 2;
}

std::vector<FioBin> fio_bins(const std::vector<std::uint64_t>& values) {
  std::map<std::uint64_t, std::uint64_t> counts;
  for (const std::uint64_t ns : values) ++counts[fio_midpoint(ns)];
  std::vector<FioBin> bins;
  for (const auto& [midpoint, count] : counts) bins.push_back({midpoint, count});
  return bins;
}

Counts recorded(const std::vector<std::uint64_t>& values) {
  Histogram histogram;
  for (const std::uint64_t ns : values) histogram.record(ns);
  return histogram.counts();
}

std::vector<std::uint64_t> random_values(std::uint64_t seed, std::size_t n) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> values(n);
  for (std::uint64_t& ns : values) ns = random() >> (18 + random() % 46);
  return values;
}

}  // namespace

TEST_CASE("fio bins: equal to what fio's rule makes of the same latencies", "[stats]") {
  const std::vector<std::uint64_t> values = random_values(1, 300'000);
  CHECK(to_fio_bins(recorded(values)) == fio_bins(values));
}

TEST_CASE("fio bins: equal for every latency up to 2^20 and about every power of two", "[stats]") {
  std::vector<std::uint64_t> values;
  for (std::uint64_t ns = 0; ns <= std::uint64_t{1} << 20; ++ns) values.push_back(ns);
  for (std::uint32_t bit = 20; bit <= kMaxBits; ++bit)
    for (std::uint64_t offset = 0; offset < 3; ++offset)
      values.push_back((std::uint64_t{1} << bit) - 1 + offset);
  CHECK(to_fio_bins(recorded(values)) == fio_bins(values));
}

TEST_CASE("fio bins: the last one holds everything above and has fio's midpoint", "[stats]") {
  const std::vector<FioBin> bins =
      to_fio_bins(recorded({17'045'651'455, 17'045'651'456, 94'000'000'000, kLimit, 5 * kLimit}));
  REQUIRE(bins.size() == 2);
  CHECK(bins[0].midpoint_ns == 16'978'542'592);
  CHECK(bins[1] == FioBin{17'112'760'320, 4});
}

TEST_CASE("fio bins: midpoints are truncated to integers", "[stats]") {
  CHECK(to_fio_bins(recorded({127})) == std::vector<FioBin>{{127, 1}});
  CHECK(to_fio_bins(recorded({128, 129})) == std::vector<FioBin>{{129, 2}});
  CHECK(to_fio_bins(recorded({256})) == std::vector<FioBin>{{258, 1}});
}

TEST_CASE("fio bins: read back and written again they are the same", "[stats]") {
  const std::vector<FioBin> bins = fio_bins(random_values(2, 50'000));
  CHECK(to_fio_bins(from_fio_bins(bins)) == bins);
}

TEST_CASE("fio bins: none from no counts, none back", "[stats]") {
  CHECK(to_fio_bins({}).empty());
  CHECK(from_fio_bins({}).empty());
}

TEST_CASE("fio bins: read counts keep their sum and lie in both halves of the bin", "[stats]") {
  const std::vector<FioBin> bins = {{100, 3}, {258, 5}};
  const Counts counts = from_fio_bins(bins);
  CHECK(counts == Counts{{{100, 3}, {bucket_of(256), 2}, {bucket_of(258), 3}}, 0});
}

TEST_CASE("fio bins: order and repeated keys don't matter when reading", "[stats]") {
  const std::vector<FioBin> mixed = {{50'000, 2}, {7, 1}, {50'000, 4}};
  const std::vector<FioBin> sorted = {{7, 1}, {50'000, 6}};
  CHECK(from_fio_bins(mixed) == from_fio_bins(sorted));
}

TEST_CASE("fio bins: keys above fio's last bin keep their value, up to 2^44 ns", "[stats]") {
  const std::vector<FioBin> bins = {{94'000'000'000, 2}, {kLimit, 3}, {~std::uint64_t{0}, 4}};
  const Counts counts = from_fio_bins(bins);
  CHECK(counts.total() == 9);
  CHECK(counts.overflow == 7);
  CHECK(bucket_low(counts.buckets.front().first) == Approx(94e9).epsilon(0.016));
}

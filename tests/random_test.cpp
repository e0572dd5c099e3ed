// random_test.cpp: the workloads' random numbers and seeds.
#include "workload/random.hpp"

#include "tests/catch.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <set>

using namespace chronio::workload;

TEST_CASE("random: the numbers are splitmix64's, the same on every machine", "[workload]") {
  // Source: the reference implementation's output for seed 1234567 (Rosetta Code, "Splitmix64").
  Random random(1234567);
  for (const std::uint64_t expected :
       {6457827717110365317U, 3203168211198807973U, 9817491932198370423U, 4593380528125082431U,
        16408922859458223821U})
    CHECK(random.next() == expected);
}

TEST_CASE("random: below() stays below and draws all alike", "[workload]") {
  constexpr std::uint64_t kCells = 10;
  constexpr int kDraws = 100'000;
  Random random(1);
  std::array<int, kCells> hits = {};
  for (int i = 0; i < kDraws; ++i) ++hits.at(random.below(kCells));
  double chi_square = 0;
  for (const int hit : hits) {
    const double delta = hit - kDraws / 10.0;
    chi_square += delta * delta / (kDraws / 10.0);
  }
  CHECK(chi_square < 27.9);  // 0.1 % point of 9 degrees of freedom
}

TEST_CASE("random: below(1) is 0, and the largest range is used to its end", "[workload]") {
  Random random(2);
  std::uint64_t highest = 0;
  for (int i = 0; i < 1'000; ++i) {
    CHECK(random.below(1) == 0);
    highest = std::max(highest, random.below(~std::uint64_t{0}));
  }
  CHECK(highest > ~std::uint64_t{0} / 100 * 99);
}

TEST_CASE("random: a change of either number changes about half of a mixed seed's bits",
          "[workload]") {
  int flipped = 0;
  for (int bit = 0; bit < 64; ++bit) {
    const std::uint64_t one = std::uint64_t{1} << bit;
    flipped += std::popcount(mix_seed(5, 6) ^ mix_seed(5 ^ one, 6));
    flipped += std::popcount(mix_seed(5, 6) ^ mix_seed(5, 6 ^ one));
  }
  CHECK(flipped == Approx(128 * 32).margin(5 * 45));  // 5 sigma of 8,192 fair coins
}

TEST_CASE("random: mixed seeds of small numbers all differ", "[workload]") {
  std::set<std::uint64_t> seeds;
  for (std::uint64_t a = 0; a < 100; ++a)
    for (std::uint64_t b = 0; b < 100; ++b) seeds.insert(mix_seed(a, b));
  CHECK(seeds.size() == 10'000);
}

// permutation_test.cpp: random orders are complete, differ by seed, and show no structure.
#include "workload/permutation.hpp"

#include "tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

using chronio::workload::Permutation;

namespace {

std::vector<std::uint64_t> order(std::uint64_t size, std::uint64_t seed) {
  Permutation permutation(size, seed);
  std::vector<std::uint64_t> numbers(size);
  for (std::uint64_t& number : numbers) number = permutation.next();
  return numbers;
}

/// True when `size` calls give each of [0, size) once.
bool complete(std::uint64_t size, std::uint64_t seed) {
  Permutation permutation(size, seed);
  std::vector<bool> given(size);
  for (std::uint64_t i = 0; i < size; ++i) {
    const std::uint64_t number = permutation.next();
    if (number >= size || given[number]) return false;
    given[number] = true;
  }
  return true;
}

/// Chi-square of the pairs (x[i], x[i + lag]) over 8 x 8 cells, as standard deviations from what
/// chance gives. `cell` maps a number to 0...7.
template <class Cell>
double pair_excess(const std::vector<std::uint64_t>& x, std::size_t lag, Cell cell) {
  constexpr std::size_t kSide = 8;
  std::vector<double> hits(kSide * kSide);
  for (std::size_t i = 0; i + lag < x.size(); ++i) ++hits[cell(x[i]) * kSide + cell(x[i + lag])];
  const double expected = static_cast<double>(x.size() - lag) / (kSide * kSide);
  double chi_square = 0;
  for (const double hit : hits) chi_square += (hit - expected) * (hit - expected) / expected;
  constexpr double kFreedom = kSide * kSide - 1;
  return (chi_square - kFreedom) / std::sqrt(2 * kFreedom);
}

/// Serial correlation at `lag`; of chance about 0 with standard deviation 1 / sqrt(n).
double serial_correlation(const std::vector<std::uint64_t>& x, std::size_t lag) {
  const double mean = static_cast<double>(x.size() - 1) / 2;
  double products = 0;
  double squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double delta = static_cast<double>(x[i]) - mean;
    squares += delta * delta;
    if (i + lag < x.size()) products += delta * (static_cast<double>(x[i + lag]) - mean);
  }
  return products / squares;
}

/// Share of the possible steps from one number to the next (modulo size) that occur. Random orders
/// have 1 - 1/e of them; a linear order has few.
double distinct_steps(const std::vector<std::uint64_t>& x) {
  std::vector<bool> seen(x.size());
  for (std::size_t i = 1; i < x.size(); ++i) seen[(x[i] + x.size() - x[i - 1]) % x.size()] = true;
  return static_cast<double>(std::count(seen.begin(), seen.end(), true)) /
         static_cast<double>(x.size());
}

}  // namespace

TEST_CASE("permutation: every size from 1 to 3000 is covered, each number once", "[workload]") {
  for (std::uint64_t size = 1; size <= 3'000; ++size) {
    INFO(size);
    REQUIRE(complete(size, size * 31));
  }
}

TEST_CASE("permutation: large sizes are covered, each number once", "[workload]") {
  for (const std::uint64_t size : {(1U << 22), (1U << 22) - 1, (1U << 21) + 1, 3'000'017U}) {
    INFO(size);
    REQUIRE(complete(size, 5));
  }
}

TEST_CASE("permutation: sizes near 2^40 and 2^63 give no number twice and none outside",
          "[workload]") {
  for (const std::uint64_t size :
       {(std::uint64_t{1} << 40) - 5, (std::uint64_t{1} << 40) + 1, std::uint64_t{1} << 63}) {
    Permutation permutation(size, 9);
    std::vector<std::uint64_t> numbers(300'000);
    for (std::uint64_t& number : numbers) number = permutation.next();
    std::sort(numbers.begin(), numbers.end());
    INFO(size);
    CHECK(std::adjacent_find(numbers.begin(), numbers.end()) == numbers.end());
    CHECK(numbers.back() < size);
    CHECK(numbers.back() > size / 100 * 99);
  }
}

TEST_CASE("permutation: after all numbers the same order begins again", "[workload]") {
  for (const std::uint64_t size : {1U, 2U, 3U, 5U, 100U, 1'024U}) {
    Permutation permutation(size, 4);
    std::vector<std::uint64_t> first(size);
    std::vector<std::uint64_t> second(size);
    for (std::uint64_t& number : first) number = permutation.next();
    for (std::uint64_t& number : second) number = permutation.next();
    CHECK(first == second);
  }
}

TEST_CASE("permutation: the same seed gives the same order, 40 seeds give 40", "[workload]") {
  std::set<std::vector<std::uint64_t>> orders;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    orders.insert(order(1'024, seed));
    CHECK(order(1'024, seed) == order(1'024, seed));
  }
  CHECK(orders.size() == 40);
}

TEST_CASE("permutation: seeds give orders that don't merely start elsewhere", "[workload]") {
  const std::vector<std::uint64_t> one = order(1'000, 1);
  std::vector<std::uint64_t> other = order(1'000, 2);
  std::rotate(other.begin(), std::find(other.begin(), other.end(), one.front()), other.end());
  int same = 0;
  for (std::size_t i = 0; i < one.size(); ++i) same += one[i] == other[i] ? 1 : 0;
  CHECK(same < 10);  // chance: 1, Poisson
}

TEST_CASE("permutation: pairs of numbers show no structure", "[workload]") {
  for (const std::uint64_t size : {1'000U, 1'024U, 4'096U, 16'384U, 50'000U, 65'536U, 262'144U}) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const std::vector<std::uint64_t> numbers = order(size, seed);
      for (const std::size_t lag : {1U, 2U, 3U, 4U, 8U, 16U, 32U}) {
        CAPTURE(size, seed, lag);
        // 5 sigma; an LCG alone, or with one round of scramble, exceeds them by far.
        REQUIRE(pair_excess(numbers, lag, [&](std::uint64_t x) { return x * 8 / size; }) < 5);
        REQUIRE(pair_excess(numbers, lag, [](std::uint64_t x) { return x % 8; }) < 5);
        REQUIRE(std::abs(serial_correlation(numbers, lag)) <
                5 / std::sqrt(static_cast<double>(size)));
      }
    }
  }
}

TEST_CASE("permutation: the steps from number to number are as varied as chance makes them",
          "[workload]") {
  for (const std::uint64_t size : {4'096U, 5'000U, 65'536U, 1'048'576U})
    CHECK(distinct_steps(order(size, 3)) == Approx(1 - std::exp(-1.0)).margin(0.02));
}

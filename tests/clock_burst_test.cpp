// clock_burst_test.cpp: what exchanged stamps prove about two counters, recorded and between
// threads.
#include "clock/burst.hpp"
#include "clock/machine.hpp"
#include "clock/pair_probe.hpp"
#include "tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <thread>
#include <vector>

namespace {

using namespace chronio::clock;

/// Two CPUs' counters of 1 tick = 1 ns under one virtual time.
struct Pair {
  std::int64_t skew = 0;  ///< second minus first
  double granule = 10;
  double drift_ppm = 0;  ///< of the second
  std::uint64_t start = 1'000'000'000;
  std::mt19937_64 dice{99};

  std::uint64_t first(double ns) const {
    return start + static_cast<std::uint64_t>(std::floor(ns / granule) * granule);
  }
  std::uint64_t second(double ns) const {
    const double own = ns * (1 + drift_ppm * 1e-6) + static_cast<double>(skew);
    return start + static_cast<std::uint64_t>(
                       static_cast<std::int64_t>(std::floor(own / granule) * granule));
  }

  /// A burst starting at `ns`: stamps take 40 ns and more to cross; some are held up by preemption.
  Burst burst(double ns, bool second_reads, double least_ns = 40) {
    std::vector<StampSample> samples;
    for (int i = 0; i < 128; ++i) {
      double crossing = least_ns + static_cast<double>(dice() % 1000) * 0.06;
      if (dice() % 100 < 30) crossing += static_cast<double>(dice() % 3'000'000);
      const double seen_at = ns + crossing;
      samples.push_back(second_reads ? StampSample{first(ns), second(seen_at)}
                                     : StampSample{second(ns), first(seen_at)});
      ns = seen_at + 60;
    }
    return fold(samples, true, 64);
  }

  PairAnalysis probe(int bursts = 20) {
    PairAnalysis analysis(granule);
    double ns = 1e6;
    for (int i = 0; i < bursts && !analysis.plateau(); ++i) {
      const Burst second_reads = burst(ns, true);
      const Burst first_reads = burst(ns + 4e7, false);
      analysis.add(second_reads, first_reads);
      ns += 8e7;
    }
    return analysis;
  }
};

/// A kernel clock, which is the same on all CPUs, with a skew added.
struct Skewed {
  static constexpr unsigned kBits = 64;
  static constexpr bool kTellsCpu = false;
  std::uint64_t skew = 0;
  [[nodiscard]] Stamp stamp() const noexcept { return {now(), 0}; }
  [[nodiscard]] std::uint64_t now() const noexcept { return raw_ns() + skew; }
};

}  // namespace

TEST_CASE("burst: the least of seen minus stamp is kept, also across the wrap", "[clock]") {
  const std::vector<StampSample> samples = {{100, 180}, {200, 255}, {300, 390}};
  CHECK(fold(samples, true, 64).least == 55);
  const std::vector<StampSample> wrapping = {{~std::uint64_t{0} - 9, 40}, {60, 100}};
  CHECK(fold(wrapping, true, 64).least == 40);
  constexpr std::uint64_t k56 = std::uint64_t{1} << 56U;
  const std::vector<StampSample> narrow = {{k56 - 10, 20}, {60, 100}};
  CHECK(fold(narrow, true, 56).least == 30);
}

TEST_CASE("burst: a reader whose counter stands still or runs backwards is unsteady", "[clock]") {
  std::vector<StampSample> samples;
  for (std::uint64_t i = 0; i < 128; ++i) samples.push_back({1000 + 100 * i, 1050 + 100 * i});
  CHECK_FALSE(fold(samples, true, 64).unsteady);
  SECTION("backwards once") {
    samples[70].seen = samples[69].seen - 500;
    CHECK(fold(samples, true, 64).unsteady);
  }
  SECTION("still") {
    for (StampSample& sample : samples) sample.seen = 5000;
    CHECK(fold(samples, true, 64).unsteady);
  }
  SECTION("few samples within one step of a coarse counter are no standstill") {
    samples.resize(20);
    for (StampSample& sample : samples) sample.seen = 5000;
    CHECK_FALSE(fold(samples, true, 64).unsteady);
  }
}

TEST_CASE("pair: the bounds hold the true skew and are as narrow as the crossing", "[clock]") {
  for (const double granule : {1.0, 10.0, 40.0}) {
    for (const std::int64_t skew : {0, 25, -50, 100, -200, 1000, -5000}) {
      Pair pair;
      pair.skew = skew;
      pair.granule = granule;
      const PairAnalysis analysis = pair.probe();
      REQUIRE(analysis.plateau());
      REQUIRE(analysis.good() >= 2);
      const Bounds bounds = analysis.bounds();
      REQUIRE(bounds.least <= skew);
      REQUIRE(bounds.most >= skew);
      // Twice the least crossing, and a granule each for reading and for margin on both sides.
      REQUIRE(bounds.most - bounds.least <= 2 * 50 + static_cast<std::int64_t>(4 * granule));
    }
  }
}

TEST_CASE("pair: no skew is never taken for one", "[clock]") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    Pair pair;
    pair.dice.seed(seed);
    const Bounds bounds = pair.probe().bounds();
    REQUIRE(bounds.least <= 0);
    REQUIRE(bounds.most >= 0);
  }
}

TEST_CASE("pair: bursts that were not good are no evidence, however many there are", "[clock]") {
  Pair pair;
  PairAnalysis analysis(pair.granule);
  for (int i = 0; i < 50; ++i) {
    Burst late = pair.burst(1e6 + 1e8 * i, true, 3e6);
    late.good = i % 2 == 0;  // only ever one of the two directions
    Burst other = pair.burst(5e7 + 1e8 * i, false, 3e6);
    other.good = i % 2 == 1;
    analysis.add(late, other);
  }
  CHECK(analysis.good() < 2);
  CHECK_FALSE(analysis.plateau());
  CHECK(analysis.bounds().most >= 0);  // true all the same
  CHECK(analysis.bounds().least <= 0);
}

TEST_CASE("pair: nothing seen leaves the bounds open", "[clock]") {
  PairAnalysis analysis(10);
  analysis.add(fold({}, false, 64), fold({}, false, 64));
  CHECK(analysis.bounds() == Bounds{});
  CHECK(analysis.good() < 2);
}

TEST_CASE("pair: it goes on while bursts still narrow the bounds", "[clock]") {
  PairAnalysis analysis(10);
  for (std::int64_t least = 1000; least > 100; least -= 100) {
    const Burst burst = {.least = least, .good = true, .unsteady = false};
    analysis.add(burst, burst);
    REQUIRE_FALSE(analysis.plateau());
  }
  const Burst same = {.least = 200, .good = true, .unsteady = false};
  for (int i = 0; i < 3; ++i) analysis.add(same, same);
  CHECK(analysis.plateau());
}

TEST_CASE("pair: the unsteady side is told from the other", "[clock]") {
  const Burst sound = {.least = 50, .good = true, .unsteady = false};
  const Burst unsteady = {.least = 50, .good = true, .unsteady = true};
  PairAnalysis first(10);
  first.add(sound, unsteady);
  CHECK(first.first_unsteady());
  CHECK_FALSE(first.second_unsteady());
  PairAnalysis second(10);
  second.add(unsteady, sound);
  CHECK_FALSE(second.first_unsteady());
  CHECK(second.second_unsteady());
}

TEST_CASE("pair probe: between two threads the bounds hold an injected skew with its sign",
          "[clock]") {
  for (const std::int64_t skew : {0, 1'000'000'000, -1'000'000'000}) {
    PairProbe probe;
    // Long against the exchange, short enough where the threads never run side by side.
    const std::uint64_t deadline_ns = raw_ns() + 200'000'000;
    std::thread second([&] {
      if (probe.meet(deadline_ns)) {
        probe.follow(Skewed{static_cast<std::uint64_t>(skew)}, deadline_ns);
      }
      probe.leave();
    });
    PairAnalysis analysis(1);
    const bool met = probe.meet(deadline_ns);
    if (met) analysis = probe.lead(Skewed{}, 1, deadline_ns);
    probe.leave();
    second.join();

    // Every stamp that crossed is a proof, whether or not the threads ever ran side by side.
    const Bounds bounds = analysis.bounds();
    CHECK(bounds.least <= skew);
    CHECK(bounds.most >= skew);
    if (analysis.good() >= 2) {
      CHECK(bounds.least > skew - 1'000'000);
      CHECK(bounds.most < skew + 1'000'000);
    }
  }
}

TEST_CASE("pair probe: a partner that never comes ends at the deadline", "[clock]") {
  PairProbe probe;
  CHECK_FALSE(probe.meet(raw_ns() + 2'000'000));
  const PairAnalysis analysis = probe.lead(Skewed{}, 1, raw_ns() + 2'000'000);
  CHECK(analysis.good() < 2);
}

TEST_CASE("pair probe: a partner that left is not waited for", "[clock]") {
  PairProbe probe;
  probe.leave();
  const std::uint64_t start_ns = raw_ns();
  constexpr std::uint64_t kMinuteNs = 60'000'000'000;
  CHECK_FALSE(probe.meet(start_ns + kMinuteNs));
  CHECK(probe.lead(Skewed{}, 1, start_ns + kMinuteNs).good() == 0);
  probe.follow(Skewed{}, start_ns + kMinuteNs);
  CHECK(raw_ns() - start_ns < kMinuteNs);
}

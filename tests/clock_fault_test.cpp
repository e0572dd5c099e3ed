// clock_fault_test.cpp: every kind of faulty counter is found, a sound one never accused: the whole
// judgement over four CPUs in virtual time, 40 seeds each.
#include "clock/rate.hpp"
#include "clock/verdict.hpp"
#include "tests/catch.hpp"
#include "tests/fake_cpus.hpp"

#include <functional>

namespace {

using namespace chronio;
using namespace chronio::clock;
using test::FakeCpus;

constexpr int kSeeds = 40;
constexpr double kSecondLook = 1e8;  // the end of the run, in virtual ns

Machine sound_machine() {
  Machine machine;
  machine.counter = CounterKind::tscp;
  machine.invariant = true;
  machine.clocksource = "tsc";
  machine.monotonic_cost_ns = machine.monotonic_raw_cost_ns = 28;
  return machine;
}

std::vector<Cluster> take_clusters(FakeCpus& world, Origin origin, int count, double apart_ns) {
  std::vector<Cluster> clusters;
  for (int i = 0; i < count; ++i) {
    clusters.push_back(test::take_cluster(world, origin));
    world.now_ns += apart_ns;
  }
  return clusters;
}

/// What a run would say at its end: gates, probes and calibration at the start, the same checks
/// after 100 ms.
Decision run_of(FakeCpus& world) {
  Evidence evidence;
  evidence.machine = sound_machine();
  CounterFacts facts;
  facts.ns_per_tick = 1 / world.ghz;
  facts.read_cost_ns = world.read_cost_ns;
  facts.series = examine_series(test::take_series(world, 0), world.bits);
  evidence.counter = facts;
  if (wants_probes(evidence)) evidence.offsets = judge(test::probe_oneway(world));
  Decision decision = decide(evidence);
  if (decision.verdict == Verdict::fallback) return decision;

  const Origin origin = {world.at(0, world.now_ns), static_cast<std::uint64_t>(world.now_ns)};
  const double granule = test::granule_ticks(world);
  const std::optional<RateFit> fit = fit_rate(take_clusters(world, origin, 9, 2.4e6), granule);
  REQUIRE(fit);
  world.now_ns = std::max(world.now_ns, kSecondLook);
  EndEvidence end;
  end.ns_per_tick = facts.ns_per_tick;
  end.clocksource_start = end.clocksource_end = "tsc";
  end.start = evidence.offsets;
  end.end = judge(test::probe_oneway(world));
  end.step_ns = step_ns(*fit, take_clusters(world, origin, 3, 0));
  end.allowed_step_ns =
      allowed_step_ns(*fit, world.granule_ns, world.now_ns - static_cast<double>(origin.raw_ns));
  conclude(end, decision);
  return decision;
}

struct Study {
  int clean = 0, found = 0;
};

Study study(const std::function<void(FakeCpus&)>& break_it) {
  Study study;
  for (int seed = 0; seed < kSeeds; ++seed) {
    FakeCpus world(4, 1000 + static_cast<std::uint64_t>(seed));
    break_it(world);
    const Decision decision = run_of(world);
    const bool clean = decision.verdict == Verdict::ok && decision.findings.empty();
    ++(clean ? study.clean : study.found);
  }
  return study;
}

double either_sign(FakeCpus& world, double value) { return world.dice() % 2 == 0 ? value : -value; }

}  // namespace

TEST_CASE("faults: sound counters are never accused, whatever their granule", "[clock]") {
  for (const double granule_ns : {1.0, 10.0, 40.0}) {
    CAPTURE(granule_ns);
    CHECK(study([&](FakeCpus& world) { world.granule_ns = granule_ns; }).clean == kSeeds);
  }
}

TEST_CASE("faults: sound counters survive samples of which 30 % were preempted", "[clock]") {
  CHECK(study([](FakeCpus& world) { world.preempted = 0.3; }).clean == kSeeds);
}

TEST_CASE("faults: sound counters survive their wrap at 56 and at 64 bits", "[clock]") {
  // The wrap comes after 40 ms, between the two looks.
  const auto wraps_at = [](unsigned bits) {
    return [bits](FakeCpus& world) {
      world.bits = bits;
      const auto all = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
      world.start = all - static_cast<std::uint64_t>(4e7 * world.ghz);
    };
  };
  CHECK(study(wraps_at(56)).clean == kSeeds);
  CHECK(study(wraps_at(64)).clean == kSeeds);
}

TEST_CASE("faults: a sound counter of 24 MHz is not accused", "[clock]") {
  CHECK(study([](FakeCpus& world) {
          world.ghz = 0.024;
          world.granule_ns = 1 / world.ghz;
        }).clean == kSeeds);
}

TEST_CASE("faults: a skew of 75 ns and more on one CPU is found", "[clock]") {
  for (const double skew_ns : {75.0, 100.0, 150.0, 200.0, 500.0, 1000.0}) {
    CAPTURE(skew_ns);
    CHECK(study([&](FakeCpus& world) {
            world.faults[2].skew_ns = either_sign(world, skew_ns);
          }).found == kSeeds);
  }
}

TEST_CASE("faults: a drift of 1 ppm and more on one CPU is found after 100 ms", "[clock]") {
  for (const double ppm : {1.0, 3.0, 10.0, 100.0}) {
    CAPTURE(ppm);
    CHECK(study([&](FakeCpus& world) { world.faults[1].ppm = either_sign(world, ppm); }).found ==
          kSeeds);
  }
}

TEST_CASE("faults: a counter that stands still is found", "[clock]") {
  CHECK(study([](FakeCpus& world) { world.faults[0].stuck_at_ns = 0; }).found == kSeeds);
  CHECK(study([](FakeCpus& world) { world.faults[3].stuck_at_ns = 0; }).found == kSeeds);
  CHECK(study([](FakeCpus& world) { world.faults[1].stuck_at_ns = 5e7; }).found == kSeeds);
}

TEST_CASE("faults: a step of 500 ns backwards on one CPU is found", "[clock]") {
  for (const double at_ns : {1.5e4, 5e7}) {
    CAPTURE(at_ns);
    CHECK(study([&](FakeCpus& world) {
            world.faults[2].back_at_ns = at_ns;
            world.faults[2].back_by_ns = 500;
          }).found == kSeeds);
  }
}

TEST_CASE("faults: a granule of 1 us is found", "[clock]") {
  CHECK(study([](FakeCpus& world) { world.granule_ns = 1000; }).found == kSeeds);
}

TEST_CASE("faults: a reading that is trapped is found by its cost", "[clock]") {
  CHECK(study([](FakeCpus& world) { world.read_cost_ns = 2000; }).found == kSeeds);
}

TEST_CASE("faults: a step of all counters by 200 ns or 10 us during the run is found", "[clock]") {
  for (const double step_ns : {200.0, 10'000.0}) {
    CAPTURE(step_ns);
    CHECK(study([&](FakeCpus& world) {
            world.step_at_ns = 7e7;
            world.step_by_ns = step_ns;
          }).found == kSeeds);
  }
}

TEST_CASE("faults: no overlap is insufficient, never ok, by every method", "[clock]") {
  FakeCpus world(2, 7);
  Evidence evidence;
  evidence.machine = sound_machine();
  evidence.counter = CounterFacts{.read_cost_ns = 20,
                                  .ns_per_tick = 1 / world.ghz,
                                  .series = examine_series(test::take_series(world, 0), 64),
                                  .back_to_back = {}};
  evidence.offsets = judge(test::probe_oneway(world, false));
  CHECK(decide(evidence).verdict == Verdict::insufficient);
  // All of one CPU's readings before all of the other's: one change, in one direction.
  std::vector<OrderedReading> readings;
  for (std::uint32_t seat = 0; seat < 2; ++seat)
    for (int i = 0; i < 4000; ++i) readings.push_back({seat, world.read(seat)});
  ProbeRecord record = test::empty_record(world, 10);
  add_sequence(readings, 24.5, 64, Wanted::all_pairs, record);
  evidence.offsets = judge(record);
  evidence.method = Method::cas;
  CHECK(decide(evidence).verdict == Verdict::insufficient);
}

TEST_CASE("faults: one CPU has a meaningful answer", "[clock]") {
  FakeCpus world(1, 3);
  const OffsetVerdict verdict = judge(test::probe_oneway(world));
  CHECK(verdict.bound_ticks == 0);
  CHECK(judge(test::probe_hop(world, 2e4)).bound_ticks == 0);
  CHECK(judge(test::probe_cas(world)).bound_ticks == 0);
}

TEST_CASE("order: three CPUs ahead by 100 and 200 ns are found by the loop through them",
          "[clock]") {
  for (int seed = 0; seed < kSeeds; ++seed) {
    FakeCpus world(3, static_cast<std::uint64_t>(seed));
    world.faults[1].skew_ns = 100;
    world.faults[2].skew_ns = 200;
    // Each step from CPU to CPU looks fine, since time passes; the way back from the third does
    // not.
    const ProbeRecord record = test::probe_cas(world);
    CHECK(record.order.inversions > 0);
    CHECK(record.order.loops >= 10);
    CHECK(judge(record).skew);
  }
}

TEST_CASE("order: loops through sound CPUs never go back", "[clock]") {
  for (int seed = 0; seed < kSeeds; ++seed) {
    FakeCpus world(4, static_cast<std::uint64_t>(seed));
    for (const ProbeRecord& record : {test::probe_cas(world), test::probe_hop(world, 2e4)}) {
      CHECK(record.order.inversions == 0);
      CHECK(record.order.loops >= 10);
    }
  }
}

TEST_CASE("methods: each one's bounds hold the true skew, and hop's are as wide as a move",
          "[clock]") {
  for (int seed = 0; seed < kSeeds; ++seed) {
    FakeCpus world(4, static_cast<std::uint64_t>(seed));
    world.faults[3].skew_ns = -60;
    const auto truth = static_cast<std::int64_t>(-60 * world.ghz);
    for (const ProbeRecord& record :
         {test::probe_oneway(world), test::probe_cas(world), test::probe_hop(world, 2e4)}) {
      const OffsetVerdict verdict = judge(record);
      REQUIRE_FALSE(verdict.contradiction);
      const Bounds bounds = verdict.matrix.at(0, 3);
      CHECK(bounds.least <= truth);
      CHECK(bounds.most >= truth);
    }
    const OffsetVerdict hop = judge(test::probe_hop(world, 2e4));
    const double bound_ns = static_cast<double>(hop.bound_ticks.value_or(0)) / world.ghz;
    CHECK(bound_ns > 2e4);
    CHECK(bound_ns < 4.5e4);  // two hops meet at the first CPU
  }
}

TEST_CASE("methods: counters at different paces contradict constant offsets", "[clock]") {
  FakeCpus world(2, 11);
  world.faults[1].ppm = 500;
  CHECK(judge(test::probe_cas(world, 40'000)).contradiction);
}

TEST_CASE("methods: a counter that stands still is named by the CPU", "[clock]") {
  FakeCpus world(3, 5);
  world.faults[1].stuck_at_ns = 0;
  CHECK(judge(test::probe_cas(world)).unsteady == std::vector<int>{1});
}

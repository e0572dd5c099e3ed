// clock_certify_test.cpp: what the certificate says of what was found out, and when it says
// nothing.
#include "clock/certify.hpp"
#include "tests/catch.hpp"
#include "tests/fake_cpus.hpp"

#include <cmath>

namespace {

using namespace chronio::clock;
using chronio::test::FakeCpus;

/// Two CPUs, known to differ by what lies in `bounds`; nothing of them is known without meetings.
OffsetVerdict verdict_of(Bounds bounds, std::uint32_t meetings = 1, Span taken = {}) {
  ProbeRecord record;
  record.taken = taken;
  record.cpus = {0, 1};
  record.pairs = {{0, 1, bounds, meetings}};
  return judge(record);
}

}  // namespace

TEST_CASE("certificate: pairs are listed for up to 16 CPUs", "[clock]") {
  for (const std::size_t cpus : {16U, 17U}) {
    ProbeRecord record;
    std::vector<int> numbers;
    for (std::size_t cpu = 0; cpu < cpus; ++cpu) numbers.push_back(static_cast<int>(cpu));
    record.cpus = numbers;
    for (std::size_t first = 0; first < cpus; ++first)
      for (std::size_t second = first + 1; second < cpus; ++second)
        record.pairs.push_back({first, second, {-100, 200}, 1});
    Certificate certificate;
    certificate.hz = 2e9;
    certify_offsets(judge(record), numbers, false, certificate);
    CHECK(certificate.offset_bound_ns.start == 100.0);
    CHECK(certificate.offsets.size() == (cpus == 16 ? 120 : 0));
  }
}

TEST_CASE("certificate: one latency below zero makes a run suspect", "[clock]") {
  Certificate certificate;
  certificate.verdict = Verdict::ok;
  certify_jobs(3, 0, certificate);
  CHECK(certificate.verdict == Verdict::ok);
  CHECK(certificate.migrated_ios == 3);
  certify_jobs(3, 1, certificate);
  CHECK(certificate.verdict == Verdict::suspect);
  CHECK(certificate.findings.size() == 1);
}

TEST_CASE("certificate: an I/O that changed CPUs is uncertain by the offset bound, too",
          "[clock]") {
  Certificate certificate;
  CounterFacts facts;
  facts.ns_per_tick = 0.5;
  facts.series.granule_ticks = 20;
  facts.back_to_back = {.mean = 46, .median = 40};
  certify_counter(facts, certificate);
  certificate.offset_bound_ns = {60.0, 80.0};
  certify_uncertainty(certificate);
  CHECK(certificate.uncertainty_ns.single == 13);  // 20 ticks of granule and 6 of jitter
  CHECK(certificate.uncertainty_ns.single_migrated == 93);
  CHECK(certificate.uncertainty_ns.p50_diff_min == 10);
  CHECK(certificate.stamp_bias_ns == 23);
}

TEST_CASE("certificate: a comparison without a bound leaves none of an earlier one", "[clock]") {
  const OffsetVerdict known = verdict_of({-40, 50});
  const Span second = {1'000'000'000, 1'000'000'001};
  const OffsetVerdict later = verdict_of({-40, 50}, 1, second);
  const OffsetVerdict contradiction = verdict_of({20, 10}, 1, second);
  for (const OffsetVerdict& unknown : {verdict_of({-40, 50}, 0, second), contradiction}) {
    for (const bool at_end : {false, true}) {
      CAPTURE(unknown.contradiction, at_end);
      Certificate certificate;
      certificate.hz = 1e9;
      certify_offsets(known, {0, 1}, at_end, certificate);
      certify_drift(known, later, certificate);
      const auto& bound = certificate.offset_bound_ns;
      REQUIRE((at_end ? bound.end : bound.start) == 50.0);
      REQUIRE(certificate.drift_bound_ppb == 90.0);
      certify_offsets(unknown, {0, 1}, at_end, certificate);
      certify_drift(known, unknown, certificate);
      CHECK(certificate.offsets.empty());
      CHECK_FALSE((at_end ? bound.end : bound.start));
      CHECK_FALSE(certificate.drift_bound_ppb);
    }
  }
}

TEST_CASE("certificate: drift is bounded over the shortest time that may lie between the bounds",
          "[clock]") {
  // Probes of 200 ms and 150 ms, 100 ms apart: 110 ticks of 0.5 ns over them.
  const OffsetVerdict start = verdict_of({-40, 50}, 1, {1'000'000'000, 1'200'000'000});
  const OffsetVerdict end = verdict_of({-30, 70}, 1, {1'300'000'000, 1'450'000'000});
  Certificate certificate;
  certificate.hz = 2e9;
  certify_drift(start, end, certificate);
  CHECK(certificate.drift_bound_ppb == Approx(550));
  certify_drift(end, end, certificate);  // no time between them: no bound
  CHECK_FALSE(certificate.drift_bound_ppb);
}

TEST_CASE("certificate: the drift bound holds the true drift after runs of any length", "[clock]") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    FakeCpus world(2, seed);
    world.faults[1].ppm = world.uniform(-50, 50);
    world.preempted = 0;  // or one comparison takes so long that it contradicts itself
    const auto probed = [&](double idle_ns) {
      const auto begin_ns = static_cast<std::uint64_t>(world.now_ns);
      world.now_ns += idle_ns;  // attempts that met nobody
      ProbeRecord record = chronio::test::probe_oneway(world);
      record.taken = {begin_ns, static_cast<std::uint64_t>(world.now_ns)};
      return judge(record);
    };
    const OffsetVerdict start = probed(2e8);
    world.now_ns += std::pow(10.0, world.uniform(5, 10));
    Certificate certificate;
    certificate.hz = world.ghz * 1e9;
    certify_drift(start, probed(0), certificate);
    CAPTURE(seed, world.faults[1].ppm);
    REQUIRE(certificate.drift_bound_ppb);
    CHECK(*certificate.drift_bound_ppb >= std::abs(world.faults[1].ppm) * 1000);
  }
}

TEST_CASE("certificate: the end's bound leaves the start's as it was", "[clock]") {
  Certificate certificate;
  certificate.hz = 1e9;
  certify_offsets(verdict_of({-40, 50}), {0, 1}, false, certificate);
  certify_offsets(verdict_of({-40, 70}, 0), {0, 1}, true, certificate);
  CHECK(certificate.offset_bound_ns.start == 50.0);
  certify_offsets(verdict_of({-40, 70}), {0, 1}, true, certificate);
  CHECK(certificate.offset_bound_ns == StartEnd<std::optional<double>>{50.0, 70.0});
}

TEST_CASE("certificate: what was uncertain in an earlier job stays so without later bounds",
          "[clock]") {
  Certificate certificate;
  certificate.hz = 1e9;
  CounterFacts facts;
  facts.series.granule_ticks = 10;
  certify_counter(facts, certificate);
  certify_offsets(verdict_of({-40, 50}), {0, 1}, true, certificate);
  certify_uncertainty(certificate);
  REQUIRE(certificate.uncertainty_ns.single_migrated == 60);
  certify_offsets(verdict_of({-40, 50}, 0), {0, 1}, true, certificate);
  certify_uncertainty(certificate);
  CHECK(certificate.uncertainty_ns.single_migrated == 60);
}

TEST_CASE("certificate: without any bound nothing is said of I/Os that changed CPUs", "[clock]") {
  Certificate certificate;
  certificate.hz = 1e9;
  CounterFacts facts;
  facts.series.granule_ticks = 10;
  certify_counter(facts, certificate);
  certify_offsets(verdict_of({-40, 50}, 0), {0, 1}, false, certificate);
  certify_uncertainty(certificate);
  CHECK(certificate.uncertainty_ns.single == 10);
  CHECK(certificate.uncertainty_ns.single_migrated == std::nullopt);
}

TEST_CASE("certificate: the kernel's clock has its own rate and none of the counter's bounds",
          "[clock]") {
  CounterFacts facts;
  facts.ns_per_tick = 0.5;
  facts.series.granule_ticks = 20;
  Certificate certificate;
  certify_counter(facts, certificate);
  certify_offsets(verdict_of({-40, 50}), {0, 1}, false, certificate);
  certify_uncertainty(certificate);
  facts.ns_per_tick = 1;
  facts.series.granule_ticks = 1;
  certify_kernel_clock(facts, certificate);
  certify_uncertainty(certificate);
  CHECK(certificate.hz == 1e9);
  CHECK(certificate.hz_ppb == 0);
  CHECK(certificate.hz_method == "definition");
  CHECK(certificate.granule_ns == 1);
  CHECK_FALSE(certificate.offset_bound_ns.start);
  CHECK(certificate.offsets.empty());
  CHECK(certificate.loops == 0);
  CHECK_FALSE(certificate.monotone);
  CHECK(certificate.uncertainty_ns == Uncertainty{1, std::nullopt, 1});
}

// clock_verdict_test.cpp: which clock is chosen on which evidence, and what the end of a run adds.
#include "clock/verdict.hpp"
#include "tests/catch.hpp"

namespace {

using namespace chronio::clock;

OffsetVerdict offsets_of(Bounds bounds, std::uint32_t interleavings = 1) {
  ProbeRecord record;
  record.cpus = {0, 1};
  record.pairs = {{0, 1, bounds, interleavings}};
  return judge(record);
}

/// A good TSC of 2 ticks per ns on two CPUs that agree within 40 ns.
Evidence good_evidence() {
  Evidence evidence;
  evidence.machine.counter = CounterKind::fenced_tsc;
  evidence.machine.invariant = true;
  evidence.machine.clocksource = "tsc";
  evidence.machine.monotonic_cost_ns = 26;
  evidence.machine.monotonic_raw_cost_ns = 26;
  evidence.counter = CounterFacts{
      .read_cost_ns = 18,
      .ns_per_tick = 0.5,
      .series = {.readings = 2048, .decreases = 0, .stuck = false, .granule_ticks = 21},
      .back_to_back = {.mean = 40, .median = 38}};
  evidence.offsets = offsets_of({-80, 80});
  return evidence;
}

bool mentions(const Decision& decision, const std::string& text) {
  for (const std::string& finding : decision.findings) {
    if (finding.find(text) != std::string::npos) return true;
  }
  return false;
}

EndEvidence good_end() {
  EndEvidence end;
  end.ns_per_tick = 0.5;
  end.clocksource_start = "tsc";
  end.clocksource_end = "tsc";
  end.step_ns = 3;
  end.allowed_step_ns = 100;
  end.start = offsets_of({-80, 80});
  end.end = offsets_of({-70, 90});
  return end;
}

Decision concluded(const EndEvidence& end, Verdict start = Verdict::ok) {
  Decision decision;
  decision.kind = CounterKind::fenced_tsc;
  decision.verdict = start;
  conclude(end, decision);
  return decision;
}

}  // namespace

TEST_CASE("verdict: a counter that passed everything is ok, without findings", "[clock]") {
  const Decision decision = decide(good_evidence());
  CHECK(decision.kind == CounterKind::fenced_tsc);
  CHECK(decision.verdict == Verdict::ok);
  CHECK(decision.findings.empty());
}

TEST_CASE("verdict: a failed gate means the kernel's clock, and says why", "[clock]") {
  Evidence evidence = good_evidence();
  evidence.machine.clocksource = "hpet";
  evidence.offsets.reset();
  const Decision decision = decide(evidence);
  CHECK(decision.kind == CounterKind::monotonic_raw);
  CHECK(decision.verdict == Verdict::fallback);
  CHECK(decision.findings.size() == 1);
  CHECK(mentions(decision, "hpet"));
}

TEST_CASE("verdict: a counter that may not be read is never chosen, even when asked for",
          "[clock]") {
  for (const Choice choice : {Choice::automatic, Choice::cpu}) {
    Evidence evidence = good_evidence();
    evidence.choice = choice;
    evidence.machine.allowed = false;
    evidence.counter.reset();
    evidence.offsets.reset();
    CHECK_FALSE(wants_probes(evidence));
    const Decision decision = decide(evidence);
    CHECK(is_kernel_clock(decision.kind));
    CHECK(decision.verdict == Verdict::fallback);
    CHECK(mentions(decision, "prctl"));
  }
}

TEST_CASE("verdict: no evidence between CPUs is insufficient, never ok", "[clock]") {
  Evidence evidence = good_evidence();
  SECTION("no overlap") { evidence.offsets = offsets_of({-80, 80}, 0); }
  SECTION("wide bounds") { evidence.offsets = offsets_of({-900'000, 80}); }
  SECTION("no CPUs known") { evidence.offsets = judge(ProbeRecord{}); }
  SECTION("not probed") { evidence.offsets.reset(); }
  SECTION("too many CPUs") {
    ProbeRecord record;
    record.cpus = {0};
    record.left_out = 5;
    evidence.offsets = judge(record);
  }
  const Decision decision = decide(evidence);
  CHECK(decision.kind == CounterKind::fenced_tsc);
  CHECK(decision.verdict == Verdict::insufficient);
  CHECK(decision.findings.size() == 1);
}

TEST_CASE("verdict: proof against the counters means the kernel's clock", "[clock]") {
  Evidence evidence = good_evidence();
  SECTION("skew") {
    evidence.offsets = offsets_of({1000, 1200});
    CHECK(mentions(decide(evidence), "CPU 0 and CPU 1 differ by 500 ns or more"));
  }
  SECTION("contradiction") {
    evidence.offsets = offsets_of({50, -50});
    CHECK(mentions(decide(evidence), "contradict"));
  }
  SECTION("standstill on one CPU, without any overlap") {
    evidence.offsets = offsets_of({-80, 80}, 0);
    evidence.offsets->unsteady = {1};
    CHECK(mentions(decide(evidence), "on CPU 1"));
  }
  const Decision decision = decide(evidence);
  CHECK(decision.verdict == Verdict::fallback);
  CHECK(decision.kind == CounterKind::monotonic_raw);
  CHECK(decision.findings.size() == 1);
}

TEST_CASE("verdict: a proven skew within the tolerance is told but ok", "[clock]") {
  Evidence evidence = good_evidence();
  evidence.offsets = offsets_of({40, 200});
  const Decision decision = decide(evidence);
  CHECK(decision.verdict == Verdict::ok);
  CHECK(mentions(decision, "differ by 20 ns or more"));
}

TEST_CASE("verdict: a skew of the whole tolerance is covered by it, half a ns more is not",
          "[clock]") {
  Evidence evidence = good_evidence();
  evidence.method = Method::oneway;
  evidence.tolerance_ns = 100;
  evidence.offsets = offsets_of({200, 200});
  CHECK(decide(evidence).verdict == Verdict::ok);
  evidence.offsets = offsets_of({201, 201});
  CHECK(decide(evidence).verdict == Verdict::fallback);
}

TEST_CASE("verdict: a proven skew of a counter that was asked for is told once", "[clock]") {
  Evidence evidence = good_evidence();
  evidence.choice = Choice::cpu;
  evidence.tolerance_ns = 100;
  evidence.offsets = offsets_of({1000, 1000});
  int told = 0;
  for (const std::string& finding : decide(evidence).findings)
    told += finding.find("differ by") != std::string::npos ? 1 : 0;
  CHECK(told == 1);
}

TEST_CASE("verdict: the tolerance is the user's", "[clock]") {
  Evidence evidence = good_evidence();
  evidence.tolerance_ns = 39;
  CHECK(decide(evidence).verdict == Verdict::insufficient);
  evidence.tolerance_ns = 40;
  CHECK(decide(evidence).verdict == Verdict::ok);
}

TEST_CASE("verdict: a process on one CPU needs no pair", "[clock]") {
  Evidence evidence = good_evidence();
  ProbeRecord record;
  record.cpus = {1};
  evidence.offsets = judge(record);
  const Decision decision = decide(evidence);
  CHECK(decision.verdict == Verdict::ok);
  CHECK(evidence.offsets->bound_ticks == 0);
}

TEST_CASE("verdict: a counter that was asked for is used, with what failed in the findings",
          "[clock]") {
  Evidence evidence = good_evidence();
  evidence.choice = Choice::cpu;
  CHECK(decide(evidence).verdict == Verdict::forced);
  CHECK(decide(evidence).findings.empty());

  evidence.machine.clocksource = "hpet";
  evidence.offsets = offsets_of({1000, 1200});
  CHECK(wants_probes(evidence));
  const Decision decision = decide(evidence);
  CHECK(decision.kind == CounterKind::fenced_tsc);
  CHECK(decision.verdict == Verdict::forced);
  CHECK(mentions(decision, "hpet"));
  CHECK(mentions(decision, "differ by 500 ns"));
}

TEST_CASE("verdict: a kernel clock that was asked for is used whatever the counter is", "[clock]") {
  Evidence evidence = good_evidence();
  evidence.counter.reset();
  evidence.offsets.reset();
  evidence.choice = Choice::clock_gettime;
  CHECK(decide(evidence).kind == CounterKind::monotonic_raw);
  CHECK(decide(evidence).verdict == Verdict::forced);
  CHECK(decide(evidence).findings.empty());
  evidence.choice = Choice::gettimeofday;
  CHECK(decide(evidence).verdict == Verdict::forced);
  CHECK(mentions(decide(evidence), "gettimeofday"));
}

TEST_CASE("end: a quiet end leaves the verdict", "[clock]") {
  for (const Verdict verdict : {Verdict::ok, Verdict::forced}) {
    const Decision decision = concluded(good_end(), verdict);
    CHECK(decision.verdict == verdict);
    CHECK(decision.findings.empty());
  }
}

TEST_CASE("end: each failed check makes the run suspect, and says why", "[clock]") {
  EndEvidence end = good_end();
  std::string reason;
  SECTION("step") {
    end.step_ns = -101;
    reason = "had moved by -101 ns";
  }
  SECTION("clocksource") {
    end.clocksource_end = "hpet";
    reason = "from tsc to hpet";
  }
  SECTION("rate") {
    end.rate_change_ppb = -1500;
    reason = "rate had changed by -1.5 ppm";
  }
  SECTION("sleep") {
    end.slept_ns = 2.5e9;
    reason = "slept for 2.500 s";
  }
  SECTION("drift within the tolerance") {
    end.end = offsets_of({90, 200});
    reason = "exclude those at the start";
  }
  SECTION("skew") {
    end.start.reset();
    end.end = offsets_of({-1500, -1000});
    reason = "differ by 500 ns or more";
  }
  SECTION("contradiction") {
    end.end = offsets_of({50, -50});
    reason = "contradict";
  }
  const Decision decision = concluded(end);
  CHECK(decision.verdict == Verdict::suspect);
  CHECK(mentions(decision, reason));
}

TEST_CASE("end: what two readings of the clocks lie apart is no sleep", "[clock]") {
  EndEvidence end = good_end();
  end.slept_ns = kLeastSleepNs;
  CHECK(concluded(end).verdict == Verdict::ok);
  end.slept_ns = kLeastSleepNs + 1;
  CHECK(concluded(end).verdict == Verdict::suspect);
}

TEST_CASE("end: the end may certify what the start could not", "[clock]") {
  EndEvidence end = good_end();
  end.start = offsets_of({-80, 80}, 0);
  const Decision decision = concluded(end, Verdict::insufficient);
  CHECK(decision.verdict == Verdict::ok);
  CHECK(mentions(decision, "certify what those at the start could not"));
}

TEST_CASE("end: no evidence at the end is told and changes nothing", "[clock]") {
  EndEvidence end = good_end();
  end.end = offsets_of({-80, 80}, 0);
  CHECK(concluded(end).verdict == Verdict::ok);
  CHECK(mentions(concluded(end), "at the end, 1 of 1 pairs"));
  CHECK(concluded(end, Verdict::insufficient).verdict == Verdict::insufficient);
}

TEST_CASE("end: a kernel clock is judged by its clocksource alone", "[clock]") {
  EndEvidence end;
  end.clocksource_start = "tsc";
  end.clocksource_end = "tsc";
  CHECK(concluded(end, Verdict::fallback).verdict == Verdict::fallback);
  end.clocksource_end = "hpet";
  CHECK(concluded(end, Verdict::fallback).verdict == Verdict::suspect);
}

TEST_CASE("end: a skew within the tolerance that only the end proves is told", "[clock]") {
  EndEvidence end = good_end();
  end.end = offsets_of({60, 90});
  const Decision decision = concluded(end);
  CHECK(decision.verdict == Verdict::ok);
  CHECK(mentions(decision, "at the end, the counters of CPU 0 and CPU 1 differ by 30 ns or more"));
}

TEST_CASE("end: findings begin with the job after which they were made", "[clock]") {
  EndEvidence end = good_end();
  end.when = "after job warm-up";
  end.step_ns = 500;
  CHECK(mentions(concluded(end), "after job warm-up, the counter had moved by 500 ns"));
}

TEST_CASE("verdict: the tolerance does not gate the methods with wide bounds", "[clock]") {
  Evidence evidence = good_evidence();
  evidence.offsets = offsets_of({-40'000, 40'000});
  CHECK(decide(evidence).verdict == Verdict::insufficient);
  evidence.method = Method::hop;
  CHECK(decide(evidence).verdict == Verdict::ok);
}

TEST_CASE("verdict: a counter that failed a gate is still compared between CPUs", "[clock]") {
  Evidence evidence = good_evidence();
  evidence.counter->read_cost_ns = 2000;
  evidence.offsets = offsets_of({1000, 3000});
  CHECK(wants_probes(evidence));
  const Decision decision = decide(evidence);
  CHECK(decision.verdict == Verdict::fallback);
  CHECK(mentions(decision, "2000 ns"));
  CHECK(mentions(decision, "differ by 500 ns or more"));
  evidence.counter->series.stuck = true;
  CHECK_FALSE(wants_probes(evidence));
}

TEST_CASE("verdict: what every check would repeat is told once", "[clock]") {
  EndEvidence end = good_end();
  Decision decision;
  decision.verdict = Verdict::ok;
  SECTION("a skew within the tolerance") { end.end = offsets_of({40, 200}); }
  SECTION("a missing bound") { end.end = offsets_of({-900'000, 80}); }
  end.start = end.end;
  for (int job = 0; job < 3; ++job) conclude(end, decision);
  CHECK(decision.findings.size() == 1);
}

TEST_CASE("verdict: a proof is told by every check", "[clock]") {
  EndEvidence end = good_end();
  end.start = end.end = offsets_of({1000, 1200});
  Decision decision;
  for (int job = 0; job < 3; ++job) conclude(end, decision);
  CHECK(decision.findings.size() == 3);
}

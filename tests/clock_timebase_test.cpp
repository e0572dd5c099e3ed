// clock_timebase_test.cpp: the real clock of this machine, by what must hold on every machine.
#include "clock/affinity.hpp"
#include "clock/machine.hpp"
#include "clock/timebase.hpp"
#include "tests/catch.hpp"

#include <cmath>

namespace {

using namespace chronio::clock;

/// The kernel's time between which a reading was taken.
struct Bracketed {
  std::uint64_t before_ns = 0;
  std::uint64_t ticks = 0;
  std::uint64_t after_ns = 0;
};

Bracketed read(const Timebase& timebase) {
  Bracketed reading;
  reading.before_ns = raw_ns();
  reading.ticks = timebase.now();
  reading.after_ns = raw_ns();
  return reading;
}

bool counter_in_use(const Certificate& certificate) {
  return certificate.source == Source::tsc || certificate.source == Source::arm_counter;
}

}  // namespace

TEST_CASE("timebase: an interval lies between the kernel's readings around it", "[clock]") {
  for (const Choice choice : {Choice::automatic, Choice::cpu, Choice::clock_gettime}) {
    Timebase timebase = Timebase::init({.choice = choice, .calibrate_ns = 5'000'000});
    timebase.calibrated();
    const Certificate& certificate = timebase.certificate();
    const Bracketed start = read(timebase);
    while (raw_ns() - start.after_ns < 1'000'000) {
    }
    const Bracketed end = read(timebase);
    const auto ns = static_cast<double>(timebase.scale().to_ns(end.ticks - start.ticks));
    const auto least = static_cast<double>(end.before_ns - start.after_ns);
    const auto most = static_cast<double>(end.after_ns - start.before_ns);
    // The clocks' own steps, what CPUs may differ by, the fit's error with room for a rare bad one,
    // and CLOCK_MONOTONIC's slewing of at most 500 ppm where that is the clock.
    const double slew = certificate.source == Source::monotonic ? 5e-4 : 0;
    const double slack = 2 * certificate.granule_ns +
                         certificate.offset_bound_ns.start.value_or(1000) + 2 +
                         most * (5 * certificate.hz_ppb * 1e-9 + slew);
    CHECK(ns >= least - slack);
    CHECK(ns <= most + slack);
  }
}

TEST_CASE("timebase: a kernel clock that was asked for is exact and needs no waiting", "[clock]") {
  for (const Choice choice : {Choice::clock_gettime, Choice::gettimeofday}) {
    Timebase timebase = Timebase::init({.choice = choice});
    timebase.calibrated();
    const Certificate& certificate = timebase.certificate();
    CHECK(certificate.verdict == Verdict::forced);
    CHECK_FALSE(counter_in_use(certificate));
    CHECK(certificate.hz == 1e9);
    CHECK(certificate.hz_ppb == 0);
    CHECK(timebase.scale().to_ns(123'456'789'012'345'678) == 123'456'789'012'345'678);
    CHECK_FALSE(certificate.offset_bound_ns.start);
    timebase.finish();
    CHECK(timebase.correction() == 1);
    CHECK(certificate.kernel_clocksource.end == certificate.kernel_clocksource.start);
  }
}

TEST_CASE("timebase: the certificate holds together", "[clock]") {
  const std::vector<int> allowed = allowed_cpus();
  Timebase timebase = Timebase::init({.calibrate_ns = 5'000'000});
  timebase.calibrated();
  CHECK(allowed_cpus() == allowed);
  timebase.add_cluster();
  timebase.finish();
  const Certificate& certificate = timebase.certificate();
  CHECK(certificate.cpus == allowed.size());
  CHECK(certificate.read_cost_ns > 0);
  CHECK(certificate.granule_ns > 0);
  CHECK_FALSE(certificate.read.empty());
  if (counter_in_use(certificate)) {
    CHECK(certificate.verdict != Verdict::fallback);
    CHECK(certificate.hz_ppb > 0);
    CHECK(certificate.hz_baseline_s >= 0.005);
    CHECK(certificate.pairs_checked + certificate.pairs_insufficient ==
          allowed.size() * (allowed.size() - 1) / 2);
    CHECK(std::abs(timebase.correction() - 1) < 1e-3);
  } else {
    CHECK(certificate.verdict == Verdict::fallback);
    CHECK_FALSE(certificate.findings.empty());
  }
  if (certificate.verdict == Verdict::insufficient) CHECK_FALSE(certificate.findings.empty());
}

TEST_CASE("timebase: one CPU has no pairs and a bound of 0", "[clock]") {
  Timebase timebase = Timebase::init(
      {.choice = Choice::cpu, .calibrate_ns = 1'000'000, .cpus = {allowed_cpus().front()}});
  const Certificate& certificate = timebase.certificate();
  CHECK(certificate.cpus == 1);
  CHECK(certificate.pairs_checked == 0);
  CHECK(certificate.pairs_insufficient == 0);
  if (counter_in_use(certificate)) CHECK(certificate.offset_bound_ns.start == 0.0);
}

TEST_CASE("timebase: the chosen counter runs forward and is the one that the certificate names",
          "[clock]") {
  Timebase timebase = Timebase::init({.calibrate_ns = 1'000'000, .cpus = {allowed_cpus().front()}});
  timebase.calibrated();
  const std::string read = timebase.with_counter([](auto counter) -> std::string {
    using C = decltype(counter);
    if constexpr (std::is_same_v<C, KernelCounter<CLOCK_MONOTONIC_RAW>>) {
      return how_read(CounterKind::monotonic_raw);
    } else if constexpr (std::is_same_v<C, KernelCounter<CLOCK_MONOTONIC>>) {
      return how_read(CounterKind::monotonic);
    }
    return "counter";
  });
  const Certificate& certificate = timebase.certificate();
  CHECK((counter_in_use(certificate) ? read == "counter" : read == certificate.read));
  std::uint64_t last = timebase.now();
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t now = timebase.now();
    REQUIRE(now >= last);
    last = now;
  }
}

TEST_CASE("timebase: finishing at once calibrates first", "[clock]") {
  Timebase timebase = Timebase::init({.calibrate_ns = 1'000'000});
  timebase.finish();
  CHECK(timebase.certificate().hz >= 1e6);
  CHECK(timebase.scale().to_ns(0) == 0);
}

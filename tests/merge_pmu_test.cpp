// merge_pmu_test.cpp: event counts of threads add up, and their intervals with them.
#include "results/pmu_figures.hpp"
#include "results/run.hpp"
#include "tests/catch.hpp"
#include "tests/run_samples.hpp"

namespace {

using namespace chronio;
using results::Job;

pmu::EventCount event(const char* name, std::uint64_t total, std::uint64_t ci95) {
  pmu::EventCount event;
  event.name = name;
  event.status = ci95 == 0 ? pmu::Status::exact : pmu::Status::ok;
  event.windows = 100;
  event.counted = total / 4;
  event.counted_ns = 250'000'000;
  event.time_enabled_ns = 1'000'000'000;
  event.time_running_ns = 250'000'000;
  event.coverage = 0.25;
  event.total = total;
  event.ci95 = ci95;
  return event;
}

Job job_with(std::vector<pmu::EventCount> events) {
  Job job = tests::sample_job("a", 1000);
  job.pmu.available = true;
  job.pmu.mode = pmu::Mode::overflow;
  job.pmu.trigger = pmu::TriggerUse{"instructions", 1'000'000, 4'000'000, true, 0};
  job.pmu.switches = 400;
  job.pmu.overhead_percent = 0.5;
  job.pmu.handler_p99_ns = 9000;
  job.pmu.package_energy_uj = 7000;
  job.pmu.events = std::move(events);
  return job;
}

Job merged(Job job, const Job& other) {
  merge(job, other);
  return job;
}

}  // namespace

TEST_CASE("merge pmu: totals add up, and the variances of independent intervals", "[merge]") {
  const Job job =
      merged(job_with({event("cycles", 1000, 30)}), job_with({event("cycles", 3000, 40)}));
  REQUIRE(job.pmu.events.size() == 1);
  CHECK(job.pmu.events[0].total == 4000U);
  CHECK(job.pmu.events[0].ci95 == 50U);  // 30, 40, 50: a right angle
  CHECK(job.pmu.events[0].status == pmu::Status::ok);
  CHECK(job.pmu.events[0].windows == 200);
  CHECK(job.pmu.events[0].coverage == Approx(0.25));
  CHECK(job.pmu.switches == 800);
  CHECK(job.pmu.package_energy_uj == 7000U);  // the machine's, not a thread's
  CHECK(job.pmu.trigger->total == 8'000'000);
  CHECK(job.pmu.overhead_percent == Approx(0.5));
}

TEST_CASE("merge pmu: an event that one thread could not count has no total", "[merge]") {
  pmu::EventCount missing;
  missing.name = "cycles";
  missing.status = pmu::Status::not_counted;
  missing.reason = "why";
  const Job job = merged(job_with({event("cycles", 1000, 30)}), job_with({missing}));
  CHECK_FALSE(job.pmu.events[0].total.has_value());
  CHECK(job.pmu.events[0].status == pmu::Status::not_counted);
  CHECK(job.pmu.events[0].reason == "why");
  CHECK_FALSE(job.pmu.available);
  const Job absent = merged(job_with({event("cycles", 1000, 30)}), job_with({}));
  CHECK_FALSE(absent.pmu.events[0].total.has_value());
}

TEST_CASE(
    "merge pmu: what only one side counted stays in the list, without a total and with the reason",
    "[merge]") {
  Job nobody_asked = job_with({});
  nobody_asked.pmu = {};
  const Job counts = job_with({event("cycles", 1000, 30)});
  // Whichever worker comes first: one that failed before it could count, or one that counted.
  for (const Job& job : {merged(nobody_asked, counts), merged(counts, nobody_asked)}) {
    REQUIRE(job.pmu.events.size() == 1);
    CHECK(job.pmu.mode == pmu::Mode::overflow);
    CHECK_FALSE(job.pmu.events[0].total.has_value());
    CHECK(job.pmu.events[0].status == pmu::Status::not_counted);
    CHECK(job.pmu.events[0].reason == "not all threads of the group counted it");
    CHECK(job.pmu.reason == "cycles: not all threads of the group counted it");
  }
  const Job both = merged(counts, job_with({event("branches", 500, 20)}));
  REQUIRE(both.pmu.events.size() == 2);
  CHECK(both.pmu.events[1].name == "branches");
  CHECK_FALSE(both.pmu.events[1].total.has_value());
  CHECK_FALSE(both.pmu.events[1].reason.empty());
  CHECK_FALSE(both.pmu.available);
  CHECK(merged(nobody_asked, nobody_asked).pmu == nobody_asked.pmu);
}

TEST_CASE("merge pmu: the reason is that of the worse status", "[merge]") {
  pmu::EventCount few = event("cycles", 500, 1);
  few.status = pmu::Status::insufficient;
  few.ci95.reset();
  few.reason = "fewer than four windows allow no interval";
  pmu::EventCount missing;
  missing.name = "cycles";
  missing.reason = "no file descriptor is left";
  for (const Job& job :
       {merged(job_with({few}), job_with({missing})), merged(job_with({missing}), job_with({few}))})
    CHECK(job.pmu.events[0].reason == "no file descriptor is left");
}

TEST_CASE("merge pmu: whose work is missing of any job is missing of the group", "[merge]") {
  Job own = job_with({});
  own.pmu.scope = pmu::kOwnThreads;
  own.pmu.domain = "user";
  Job ring = own;
  ring.pmu.scope += "; the kernel's threads are not in it";
  ring.pmu.domain = "user+kernel";
  Job aio = own;
  aio.pmu.scope += "; threads that the engine starts are not in it";
  for (const Job& job : {merged(merged(own, ring), aio), merged(merged(own, aio), ring)}) {
    CHECK(job.pmu.scope.starts_with(pmu::kOwnThreads));
    CHECK(job.pmu.scope.ends_with(" are not in it"));
    CHECK(job.pmu.scope.size() ==
          ring.pmu.scope.size() + aio.pmu.scope.size() - own.pmu.scope.size());
    CHECK(job.pmu.domain == "mixed");
  }
  CHECK(merged(ring, ring).pmu.scope == ring.pmu.scope);
  CHECK(merged(ring, ring).pmu.domain == "user+kernel");
  aio.pmu.domain.clear();  // nothing was counted there
  CHECK(merged(aio, own).pmu.domain == "user");
  CHECK(merged(own, aio).pmu.domain == "user");
}

TEST_CASE("merge pmu: one estimate without an interval leaves the sum without one", "[merge]") {
  pmu::EventCount few = event("cycles", 500, 1);
  few.status = pmu::Status::insufficient;
  few.ci95.reset();
  const Job job = merged(job_with({event("cycles", 1000, 30)}), job_with({few}));
  CHECK(job.pmu.events[0].total == 1500U);
  CHECK_FALSE(job.pmu.events[0].ci95.has_value());
  CHECK(job.pmu.events[0].status == pmu::Status::insufficient);
}

TEST_CASE("merge pmu: a half width is rounded up, never down", "[merge]") {
  const Job job = merged(job_with({event("cycles", 1000, 1)}), job_with({event("cycles", 1, 1)}));
  CHECK(job.pmu.events[0].ci95 == 2U);  // of 1.41
}

TEST_CASE("merge pmu: shares are weighed by the time that they are of", "[merge]") {
  Job job = job_with({event("cycles", 1000, 0)});
  Job other = job_with({event("cycles", 1000, 0)});
  other.pmu.events[0].coverage = 1;
  other.pmu.events[0].time_enabled_ns = 3'000'000'000;
  other.pmu.overhead_percent = 1.5;
  other.usage.user_ns = 1'000'000'000;
  other.usage.system_ns = 500'000'000;  // with job's 0.5 s: a quarter and three quarters
  const Job sum = merged(job, other);
  CHECK(sum.pmu.events[0].coverage == Approx(0.25 / 4 + 3.0 / 4));
  CHECK(sum.pmu.events[0].time_enabled_ns == 4'000'000'000);
  CHECK(sum.pmu.overhead_percent == Approx(0.5 / 4 + 1.5 * 3 / 4));
  job.pmu.events[0].time_enabled_ns = other.pmu.events[0].time_enabled_ns = 0;
  CHECK(merged(job, other).pmu.events[0].coverage == 1);  // without any weight the greater one
  other.pmu.overhead_percent.reset();
  CHECK_FALSE(merged(job, other).pmu.overhead_percent.has_value());
  CHECK_FALSE(merged(other, job).pmu.overhead_percent.has_value());
}

TEST_CASE("merge pmu: of what has no sum the greater one stays, whichever side it is on",
          "[merge]") {
  Job low = job_with({});
  low.pmu.handler_p50_ns = 1000;
  Job high = job_with({});
  high.pmu.handler_p50_ns = 1001;
  high.pmu.handler_p99_ns = 9001;
  high.pmu.package_energy_uj = 7001;
  high.pmu.trigger = pmu::TriggerUse{"instructions", 2'000'000, 1, false, 3};
  for (const Job& job : {merged(low, high), merged(high, low)}) {
    CHECK(job.pmu.handler_p50_ns == 1001U);
    CHECK(job.pmu.handler_p99_ns == 9001U);
    CHECK(job.pmu.package_energy_uj == 7001U);
    REQUIRE(job.pmu.trigger.has_value());
    CHECK(job.pmu.trigger->period == 2'000'000);
    CHECK(job.pmu.trigger->stretched == 3);
    CHECK_FALSE(job.pmu.trigger->calibrated);  // not all of them
    CHECK(job.pmu.trigger->total == 4'000'001);
  }
  low.pmu.package_energy_uj.reset();
  CHECK(merged(low, high).pmu.package_energy_uj == 7001U);
  CHECK(merged(high, low).pmu.package_energy_uj == 7001U);
}

TEST_CASE("merge pmu: rare windows add up, and a group has a number only where all agree",
          "[merge]") {
  Job job = job_with({event("cycles", 1000, 0)});
  job.pmu.windows_dropped = 2;
  job.pmu.spurious = 3;
  job.pmu.events[0].group = 1;
  Job other = job;
  CHECK(merged(job, other).pmu.events[0].group == 1U);
  other.pmu.windows_dropped = 20;
  other.pmu.spurious = 30;
  other.pmu.events[0].group = 2;
  const Job sum = merged(job, other);
  CHECK(sum.pmu.windows_dropped == 22);
  CHECK(sum.pmu.spurious == 33);
  CHECK_FALSE(sum.pmu.events[0].group.has_value());
  CHECK(sum.pmu.events[0].counted == 500);
  CHECK(sum.pmu.events[0].counted_ns == 500'000'000);
  CHECK(sum.pmu.events[0].time_running_ns == 500'000'000);
  other.pmu.trigger->event = "cycles";
  CHECK_FALSE(merged(job, other).pmu.trigger.has_value());  // periods of what?
}

TEST_CASE("merge pmu: a log that a group can't keep is told of, once", "[merge]") {
  Job logged = job_with({event("cycles", 1000, 30)});
  logged.pmu.log = pmu::WindowLog();
  const std::size_t before = logged.notes.size();
  const Job job = merged(merged(logged, logged), logged);
  CHECK_FALSE(job.pmu.log.has_value());
  REQUIRE(job.notes.size() == before + 1);
  CHECK(job.notes.back().starts_with("pmu_log"));
}

TEST_CASE("pmu figures: per I/O, per ms and by time come from the same counts", "[merge]") {
  const pmu::EventCount cycles = event("cycles", 4000, 200);
  const auto each = results::per_io(cycles, 1000);
  REQUIRE(each.has_value());
  CHECK(each->value == 4.0);
  CHECK(each->ci95 == 0.2);
  CHECK(results::rate_per_ms(cycles) == 4.0);     // 1000 in 250 ms
  CHECK(results::time_scaled(cycles) == 4000.0);  // 1000 in a quarter of the time
  CHECK(results::half_width_percent(cycles) == 5.0);
  CHECK_FALSE(results::per_io(cycles, 0).has_value());
  CHECK_FALSE(results::per_io(pmu::EventCount(), 10).has_value());
  CHECK_FALSE(results::rate_per_ms(pmu::EventCount()).has_value());
  CHECK_FALSE(results::time_scaled(pmu::EventCount()).has_value());
}

TEST_CASE("pmu figures: a ratio of exact totals is exact, also where its upper one is 0",
          "[merge]") {
  const auto metrics = results::metric_figures(
      job_with({event("branch-misses", 0, 0), event("branches", 4000, 0)}).pmu);
  REQUIRE(metrics.size() == 1);
  CHECK(metrics[0].figure.value == 0);
  CHECK(metrics[0].figure.ci95 == 0.0);
}

TEST_CASE("pmu figures: a metric needs both of its events, in the same mode", "[merge]") {
  const Job both = job_with({event("instructions", 3000, 0), event("cycles", 4000, 200)});
  const auto metrics = results::metric_figures(both.pmu);
  REQUIRE(metrics.size() == 1);
  CHECK(metrics[0].name == "ipc");
  CHECK(metrics[0].figure.value == 0.75);
  CHECK(*metrics[0].figure.ci95 == Approx(0.0375));
  CHECK(
      results::metric_figures(job_with({event("instructions:u", 3, 0), event("cycles", 4, 0)}).pmu)
          .empty());
  CHECK(results::metric_figures(
            job_with({event("instructions:k", 3, 0), event("cycles:k", 4, 0)}).pmu)[0]
            .name == "ipc:k");
  CHECK(results::metric_figures(job_with({event("instructions", 3, 0), event("cycles", 0, 0)}).pmu)
            .empty());
}

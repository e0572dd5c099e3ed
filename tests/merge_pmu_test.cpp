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

TEST_CASE("merge pmu: one estimate without an interval leaves the sum without one", "[merge]") {
  pmu::EventCount few = event("cycles", 500, 1);
  few.status = pmu::Status::insufficient;
  few.ci95.reset();
  const Job job = merged(job_with({event("cycles", 1000, 30)}), job_with({few}));
  CHECK(job.pmu.events[0].total == 1500U);
  CHECK_FALSE(job.pmu.events[0].ci95.has_value());
  CHECK(job.pmu.events[0].status == pmu::Status::insufficient);
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

// report_pmu_test.cpp: what the report says of counted events.
#include "report/pmu_text.hpp"
#include "tests/catch.hpp"
#include "tests/run_samples.hpp"

#include <algorithm>
#include <string>

namespace {

using namespace chronio;
using results::Job;

bool has(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

pmu::EventCount event(const char* name, pmu::Status status, std::uint64_t total,
                      std::uint64_t ci95) {
  pmu::EventCount event;
  event.name = name;
  event.status = status;
  event.coverage = status == pmu::Status::exact ? 1 : 0.25;
  event.total = total;
  event.ci95 = ci95;
  return event;
}

/// 1000 I/Os, 4 groups.
Job job_with(std::vector<pmu::EventCount> events) {
  Job job = tests::sample_job("a", 1000);
  job.pmu.available = true;
  job.pmu.mode = pmu::Mode::overflow;
  job.pmu.notify = pmu::Notify::sigtrap;
  job.pmu.trigger = pmu::TriggerUse{"instructions", 1'500'000, 0, true, 0};
  job.pmu.switches = 39'812;
  job.pmu.overhead_percent = 0.94;
  job.pmu.events = std::move(events);
  return job;
}

std::string text_of(const Job& job) { return report::pmu_text(job, {}); }

}  // namespace

TEST_CASE("pmu report: nothing when nobody asked", "[report]") {
  CHECK(text_of(tests::sample_job()).empty());
}

TEST_CASE("pmu report: what was not done as asked is told", "[report]") {
  Job job = job_with({event("page-faults", pmu::Status::exact, 5, 0)});
  job.pmu.reason = "pmu_period=10 is too short for a clock: 100000 ns are the least";
  CHECK(
      has(text_of(job), "      pmu_period=10 is too short for a clock: 100000 ns are the least\n"));
}

TEST_CASE("pmu report: without counters one sentence says why", "[report]") {
  Job job = job_with({});
  job.pmu.available = false;
  job.pmu.mode = pmu::Mode::none;
  job.pmu.reason = "no hardware counters in this machine; software events only";
  CHECK(text_of(job) ==
        "  pmu          : not counted: no hardware counters in this machine; software\n"
        "                 events only\n");
}

TEST_CASE("pmu report: totals, per I/O figures, intervals and shares line up", "[report]") {
  const std::string text =
      text_of(job_with({event("instructions", pmu::Status::exact, 9'731'000, 0),
                        event("cycles", pmu::Status::ok, 12'998'000, 21'000),
                        event("dTLB-load-misses", pmu::Status::ok, 2100, 250)}));
  CHECK(has(text, "trigger instructions every 1500k, shuffled, sigtrap, 39,812\n"));
  CHECK(has(text, "about 0.9 % of the CPU time\n"));
  CHECK(has(text, "9731     exact   100 %\n"));
  CHECK(has(text, "12998 +- 21.0     0.2 %    25 %\n"));
  CHECK(has(text, "2.10 +- 0.250  11.9 % !    25 %\n"));
  CHECK(has(text, "ipc 0.749 +- 0.00121\n"));
  CHECK_FALSE(has(text, "nan"));
}

TEST_CASE("pmu report: a total without an interval is marked, one without a total is told why",
          "[report]") {
  pmu::EventCount few = event("cycles", pmu::Status::insufficient, 100, 0);
  few.ci95.reset();
  pmu::EventCount missing;
  missing.name = "LLC-loads";
  missing.status = pmu::Status::not_supported;
  missing.reason = "there is none";
  pmu::EventCount other = missing;
  other.name = "LLC-load-misses";
  const std::string text = text_of(job_with({few, missing, other}));
  CHECK(has(text, "none ~"));
  CHECK(has(text, "LLC-loads, LLC-load-misses not counted: there is none\n"));
}

TEST_CASE("pmu report: user mode alone is never shown without a word", "[report]") {
  pmu::EventCount part = event("cycles:u", pmu::Status::exact, 100, 0);
  part.reason = "the rest is forbidden";
  CHECK(has(text_of(job_with({part})), "cycles:u in part: the rest is forbidden\n"));
}

TEST_CASE("pmu report: energy is called the whole machine's", "[report]") {
  Job job = job_with({event("cycles", pmu::Status::exact, 100, 0)});
  job.pmu.package_energy_uj = 2'500'000;
  CHECK(has(text_of(job), "energy 2.50 J of the whole machine's CPU packages, 2500 uJ per I/O\n"));
}

TEST_CASE("pmu report: no line is wider than 80 columns", "[report]") {
  const std::string text = text_of(
      job_with({event("L1-dcache-load-misses", pmu::Status::ok, ~std::uint64_t{0}, 1U << 31),
                event("task-clock", pmu::Status::exact, 1'234'567'890'123, 0)}));
  std::size_t from = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', from)) {
    CHECK(end - from <= 80);
    from = end + 1;
  }
}

TEST_CASE("pmu report: the machine's answer names events, counters and paths", "[report]") {
  pmu::Capabilities found;
  found.events = {{"cycles", true, true, false, ""}, {"branches", true, false, false, "none here"}};
  found.device = "cpu";
  found.counters = 6;
  found.paranoid = 2;
  found.trigger = "cycles";
  found.notify = {{pmu::Notify::sigtrap, true, ""}, {pmu::Notify::signal, false, "too old"}};
  const std::string text = report::capabilities_text(found, {});
  for (const char* part :
       {"cycles                  can be counted\n", "branches                none here\n",
        "PMU                     cpu\n", "counters at a time      6\n",
        "perf_event_paranoid     2\n", "overflows of cycles\n", "sigtrap                 works\n",
        "signal                  too old\n"})
    CHECK(has(text, part));
}

TEST_CASE("pmu report: whose work is not in the figures is told, and only then", "[report]") {
  Job job = job_with({event("cycles", pmu::Status::exact, 1000, 0)});
  job.pmu.scope = pmu::kOwnThreads;
  CHECK_FALSE(has(text_of(job), "own threads"));
  job.pmu.scope += "; the kernel's are not in it";
  CHECK(
      has(text_of(job), "\n      counted of the job's own threads; the kernel's are not in it\n"));
}

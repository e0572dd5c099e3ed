// plan_pmu_test.cpp: what a job's pmu options come to.
#include "jobs/parser.hpp"
#include "runner/plan.hpp"
#include "tests/catch.hpp"

namespace {

using namespace chronio;

runner::Plan plan_of(const std::string& more) {
  const auto parsed =
      jobs::parse("[a]\nioengine=null\nsize=1m\n" + more, "t.fio", 1, jobs::real_world());
  auto resolved = jobs::resolve(parsed.sections);
  REQUIRE_FALSE(jobs::has_errors(resolved.diagnostics));
  return runner::make_plan(std::move(resolved.jobs), {});
}

pmu::Request request_of(const std::string& more) {
  runner::Plan plan = plan_of(more);
  for (const auto& diagnostic : plan.diagnostics) INFO(diagnostic.message);
  REQUIRE_FALSE(jobs::has_errors(plan.diagnostics));
  return plan.jobs.at(0).pmu;
}

std::string error_of(const std::string& more) {
  for (const auto& diagnostic : plan_of(more).diagnostics)
    if (diagnostic.severity == jobs::Severity::error)
      return diagnostic.message + " at line " + std::to_string(diagnostic.where.line);
  return {};
}

}  // namespace

TEST_CASE("plan pmu: by default the default group, within a budget of 1 %", "[runner]") {
  const pmu::Request request = request_of("");
  CHECK(request.need == pmu::Need::automatic);
  CHECK(request.droppable);
  REQUIRE(request.events.size() == 1);
  CHECK(request.events[0].events.size() == 4);
  CHECK(request.budget == 0.01);
  CHECK(request.period == 0);
  CHECK(request.order == pmu::Order::shuffled);
  CHECK_FALSE(request.trigger.has_value());
}

TEST_CASE("plan pmu: off asks for nothing, whatever else is set", "[runner]") {
  CHECK(request_of("pmu=off\npmu_events=all\n").need == pmu::Need::off);
  CHECK(request_of("pmu=off\n").events.empty());
}

TEST_CASE("plan pmu: named events are not dropped, required ones are required", "[runner]") {
  CHECK_FALSE(request_of("pmu=cycles,cs\n").droppable);
  CHECK_FALSE(request_of("pmu_events=branch\n").droppable);
  CHECK_FALSE(request_of("pmu=require\n").droppable);
  CHECK(request_of("pmu=require\n").need == pmu::Need::required);
  CHECK(request_of("pmu={cycles},{cs}@page-faults\n").events.size() == 2);
}

TEST_CASE("plan pmu: each option has its place in the request", "[runner]") {
  const pmu::Request request = request_of(
      "pmu_trigger=cycles\npmu_period=5000\npmu_order=preset\npmu_jitter=20\npmu_switch=kernel\n"
      "pmu_notify=signal\npmu_budget=5\npmu_estimator=time\npmu_log=1\nruntime=3\n");
  REQUIRE(request.trigger.has_value());
  CHECK(request.trigger->name == "cycles");
  CHECK(request.period == 5000);
  CHECK(request.order == pmu::Order::preset);
  CHECK(request.jitter == 20);
  CHECK(request.kernel_switch);
  CHECK(request.notify == pmu::Notify::signal);
  CHECK(request.budget == 0.05);
  CHECK(request.estimator == pmu::Estimator::time);
  CHECK(request.log);
  CHECK(request.expected_ns == 3'000'000'000);
  CHECK(request_of("pmu_notify=poll\n").notify == pmu::Notify::poll);
  CHECK(request_of("pmu_notify=sigtrap\n").notify == pmu::Notify::sigtrap);
}

TEST_CASE("plan pmu: a mistake is told with its line", "[runner]") {
  CHECK(error_of("pmu=nonsense\n").find("no event is called nonsense") != std::string::npos);
  CHECK(error_of("bs=4k\npmu_events=cycles,nonsense\n").ends_with("at line 5"));
  CHECK(error_of("pmu_trigger=nonsense\n").find("pmu_trigger") != std::string::npos);
  CHECK(error_of("pmu=cycles\npmu_events=cs\n").find("one would be right") != std::string::npos);
}

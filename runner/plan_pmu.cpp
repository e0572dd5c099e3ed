// plan_pmu.cpp: the events that a job wants counted, found by name.
#include "runner/planner.hpp"

#include <fmt/format.h>

namespace chronio::runner {
namespace {

pmu::Need need_of(const std::string& word) {
  if (word == "off") return pmu::Need::off;
  return word == "require" ? pmu::Need::required : pmu::Need::automatic;
}

pmu::Notify notify_of(jobs::PmuNotify path) {
  switch (path) {
    // None of them: the worker tries one after the other.
    case jobs::PmuNotify::automatic: return pmu::Notify::none;
    case jobs::PmuNotify::sigtrap: return pmu::Notify::sigtrap;
    case jobs::PmuNotify::signal: return pmu::Notify::signal;
    case jobs::PmuNotify::poll: return pmu::Notify::poll;
  }
  return pmu::Notify::none;
}

}  // namespace

void Planner::read_pmu(PlannedJob& planned) {
  const jobs::Job& job = planned.spec.job;
  pmu::Request& request = planned.pmu;
  request.need = need_of(job.pmu);
  if (request.need == pmu::Need::off) return;
  // pmu= alone may hold the list: what is asked for by name is said once.
  const bool list = job.pmu != "auto" && job.pmu != "require";
  if (list && last_setting(planned.spec.written, "pmu_events") != nullptr)
    return error(planned.spec, "pmu", "pmu= and pmu_events= both list events: one would be right");
  const char* key = list ? "pmu" : "pmu_events";
  pmu::EventList events = pmu::parse_events(list ? job.pmu : job.pmu_events);
  if (!events.error.empty())
    return error(planned.spec, key, fmt::format("{}: {}", key, events.error));
  request.events = std::move(events.groups);
  // Only what nobody asked for may be given up for its cost.
  request.droppable = job.pmu == "auto" && job.pmu_events == jobs::Job{}.pmu_events;
  if (job.pmu_trigger != "auto") {
    pmu::FoundEvent found = pmu::find_event(job.pmu_trigger, "/sys");
    if (!found.event)
      return error(planned.spec, "pmu_trigger", fmt::format("pmu_trigger: {}", found.error));
    request.trigger = std::move(found.event);
  }
  request.period = job.pmu_period;
  request.order =
      job.pmu_order == jobs::PmuOrder::preset ? pmu::Order::preset : pmu::Order::shuffled;
  request.jitter = job.pmu_jitter;
  request.estimator =
      job.pmu_estimator == jobs::PmuEstimator::time ? pmu::Estimator::time : pmu::Estimator::ratio;
  request.kernel_switch = job.pmu_switch == jobs::PmuSwitch::kernel;
  request.notify = notify_of(job.pmu_notify);
  request.budget = job.pmu_budget / 100.0;
  request.log = job.pmu_log;
  request.expected_ns = job.runtime_ns;
}

}  // namespace chronio::runner

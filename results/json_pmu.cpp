// json_pmu.cpp: counted events, member by member, for both directions.
#include "results/json_pmu.hpp"

#include "results/json.hpp"
#include "results/json_fields.hpp"
#include "results/pmu_figures.hpp"

namespace chronio::results {

template <class Fields, Like<pmu::TriggerUse> T>
void describe(Fields& fields, T& trigger) {
  fields("event", trigger.event);
  fields("period", trigger.period);
  fields("total", trigger.total);
  fields("calibrated", trigger.calibrated);
  fields("stretched", trigger.stretched);
}

template <class Fields, Like<pmu::WindowLog> T>
void describe(Fields& fields, T& log) {
  fields("end_ns", log.end_ns);
  fields("group", log.group);
  fields("trigger", log.trigger);
  fields("running_ns", log.running_ns);
  fields("values", log.values);
  fields("lost", log.lost);
}

// Times have perf's names in the file, and are in ns as perf states them.
template <class Fields, Like<pmu::EventCount> T>
void describe(Fields& fields, T& event) {
  fields("name", event.name);
  fields("status", event.status);
  fields("reason", event.reason);
  fields("group", event.group);
  fields("windows", event.windows);
  fields("counted", event.counted);
  fields("time_enabled", event.time_enabled_ns);
  fields("time_running", event.time_running_ns);
  fields("counted_ns", event.counted_ns);
  fields("coverage", event.coverage);
  fields("total", event.total);
  fields("ci95", event.ci95);
}

template <class Fields, Like<pmu::Counts> T>
void describe(Fields& fields, T& counts) {
  fields("available", counts.available);
  fields("mode", counts.mode);
  fields("reason", counts.reason);
  fields("scope", counts.scope);
  fields("domain", counts.domain);
  fields("counters", counts.counters);
  fields("trigger", counts.trigger);
  fields("order", counts.order);
  fields("jitter", counts.jitter);
  fields("notify", counts.notify);
  fields("estimator", counts.estimator);
  fields("seed", counts.seed);
  fields("switches", counts.switches);
  fields("windows_dropped", counts.windows_dropped);
  fields("spurious", counts.spurious);
  fields("handler_p50_ns", counts.handler_p50_ns);
  fields("handler_p99_ns", counts.handler_p99_ns);
  fields("overhead_percent", counts.overhead_percent);
  fields("package_energy_uj", counts.package_energy_uj);
  fields("events", counts.events);
  fields("log", counts.log);
}

template <class Fields, Like<pmu::EventStatus> T>
void describe(Fields& fields, T& event) {
  fields("name", event.name);
  fields("hardware", event.hardware);
  fields("available", event.available);
  fields("user_only", event.user_only);
  fields("reason", event.reason);
}

template <class Fields, Like<pmu::NotifyStatus> T>
void describe(Fields& fields, T& path) {
  fields("notify", path.notify);
  fields("works", path.works);
  fields("reason", path.reason);
}

template <class Fields, Like<pmu::Capabilities> T>
void describe(Fields& fields, T& found) {
  fields("events", found.events);
  fields("device", found.device);
  fields("counters", found.counters);
  fields("paranoid", found.paranoid);
  fields("trigger", found.trigger);
  fields("notify", found.notify);
}

namespace {

Json figure(const std::optional<WithInterval>& value) {
  if (!value) return nullptr;
  return {{"value", number(value->value)},
          {"ci95", value->ci95 ? number(*value->ci95) : Json(nullptr)}};
}

Json number_or_null(std::optional<double> value) { return value ? number(*value) : Json(nullptr); }

}  // namespace

// Declared in the header and defined here, because the members' describe() are known in this file
// only.
template <>
Json to_tree(const pmu::Counts& value) {
  WriteFields fields;
  describe(fields, value);
  return std::move(fields.object);
}

template <>
void from_tree(const Node& node, pmu::Counts& value) {
  ReadFields fields(node);
  describe(fields, value);
  if (!value.log) return;
  const pmu::WindowLog& log = *value.log;
  // A row is read across all columns; a shorter one would be read beyond its end.
  const std::size_t rows = log.end_ns.size();
  if (log.group.size() != rows || log.trigger.size() != rows || log.running_ns.size() != rows ||
      log.values.size() != rows)
    node.at("log").fail("columns of one length");
}

void add_pmu_figures(Json& block, const Job& job) {
  const std::uint64_t ios = all_ios(job);
  block["ios"] = ios;
  for (std::size_t i = 0; i < job.pmu.events.size(); ++i) {
    const pmu::EventCount& event = job.pmu.events[i];
    // Same order as the counts, for to_tree() has just written them.
    Json& into = block["events"][i];
    const auto each = per_io(event, ios);
    into["per_io"] = each ? number(each->value) : Json(nullptr);
    into["per_io_ci95"] = each ? number_or_null(each->ci95) : Json(nullptr);
    into["rate_per_ms"] = number_or_null(rate_per_ms(event));
    into["time_scaled"] = number_or_null(time_scaled(event));
  }
  Json metrics = Json::object();
  for (const MetricFigure& metric : metric_figures(job.pmu))
    metrics[metric.name] = figure(metric.figure);
  block["metrics"] = std::move(metrics);
}

std::string to_json(const pmu::Capabilities& found) {
  WriteFields fields;
  describe(fields, found);
  return text_of(fields.object);
}

}  // namespace chronio::results

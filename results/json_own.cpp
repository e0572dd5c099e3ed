// json_own.cpp: chronio's own blocks of a result file, member by member, for both directions.
#include "results/json.hpp"
#include "results/json_blocks.hpp"
#include "results/json_fields.hpp"
#include "results/json_pmu.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>

namespace chronio::results {

// By hand: no standard function takes 128 bits.
std::string decimal(stats::Uint128 value) {
  std::string digits;
  do {
    digits += static_cast<char>('0' + static_cast<int>(value % 10));
    value /= 10;
  } while (value != 0);
  std::reverse(digits.begin(), digits.end());
  return digits;
}

stats::Uint128 decimal(const Node& node) {
  constexpr stats::Uint128 kMax = ~stats::Uint128{0};
  stats::Uint128 value = 0;
  if (node.text().empty()) node.fail("decimal digits");
  for (const char c : node.text()) {
    if (c < '0' || c > '9') node.fail("decimal digits");
    const auto digit = static_cast<unsigned>(c - '0');
    // A damaged file must not wrap round to a small sum.
    if (value > (kMax - digit) / 10) node.fail("a number below 2^128");
    value = value * 10 + digit;
  }
  return value;
}

// Pairs, not an object by index: no reader has to make numbers of keys.
template <>
Json to_tree(const stats::Counts& value) {
  if (value.empty()) return nullptr;
  Json buckets = Json::array();
  for (const auto& [index, count] : value.buckets) buckets.push_back(Json::array({index, count}));
  return {{"bits", stats::kBits},
          {"unit", "ns"},
          {"overflow", value.overflow},
          {"buckets", std::move(buckets)}};
}

template <>
void from_tree(const Node& node, stats::Counts& value) {
  value = {};
  if (node.json().is_null()) return;
  if (node.at("bits").count() != stats::kBits) node.at("bits").fail("7");
  value.overflow = node.at("overflow").count();
  const Node buckets = node.at("buckets");
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    // Not by Node: there are thousands, and each Node makes a path that only a mistake needs.
    const Json& pair = buckets.json()[i];
    const bool whole = pair.is_array() && pair.size() == 2 && pair[0].is_number_unsigned() &&
                       pair[1].is_number_unsigned();
    if (!whole) buckets.at(i).fail("[index, count]");
    const auto index = pair[0].get<std::uint64_t>();
    const auto count = pair[1].get<std::uint64_t>();
    const bool ascends = value.buckets.empty() || value.buckets.back().first < index;
    // What every user of Counts relies on is checked here once, for the file may be anybody's.
    if (index >= stats::kBuckets || !ascends || count == 0)
      buckets.at(i).fail("a higher index than the one before, below 4864, with a count above 0");
    value.buckets.emplace_back(static_cast<std::uint32_t>(index), count);
  }
}

// By key, since each option is there once: readers look for one by name.
template <>
Json to_tree(const std::vector<Option>& value) {
  Json object = Json::object();
  for (const Option& option : value)
    object[utf8(option.key)] = {{"value", utf8(option.value)}, {"origin", utf8(option.origin)}};
  return object;
}

template <>
void from_tree(const Node& node, std::vector<Option>& value) {
  value.clear();
  // In the order of the file, which the tree keeps.
  for (const auto& item : node.object().items()) {
    const Node option = node.at(item.key().c_str());
    value.push_back({item.key(), option.at("value").text(), option.at("origin").text()});
  }
}

namespace {

/// Intervals by columns: a fifth of the text that an object per interval takes.
struct Columns {
  std::vector<std::uint64_t> start_ns, length_ns;
  std::array<std::vector<std::uint64_t>, kDirections> ios, bytes;
};

template <class Fields, Like<Columns> T>
void describe(Fields& fields, T& columns) {
  fields("start_ns", columns.start_ns);
  fields("length_ns", columns.length_ns);
  fields("ios", columns.ios);
  fields("bytes", columns.bytes);
}

}  // namespace

template <>
Json to_tree(const std::vector<Interval>& value) {
  Columns columns;
  for (const Interval& interval : value) {
    columns.start_ns.push_back(interval.start_ns);
    columns.length_ns.push_back(interval.length_ns);
    for (std::size_t d = 0; d < kDirections; ++d) {
      columns.ios[d].push_back(interval.ios[d]);
      columns.bytes[d].push_back(interval.bytes[d]);
    }
  }
  return to_tree(columns);
}

template <>
void from_tree(const Node& node, std::vector<Interval>& value) {
  Columns columns;
  from_tree(node, columns);
  value.assign(columns.start_ns.size(), {});
  const auto fill = [&](const std::vector<std::uint64_t>& column, auto&& member) {
    if (column.size() != value.size()) node.fail("columns of one length");
    for (std::size_t i = 0; i < column.size(); ++i) member(value[i]) = column[i];
  };
  fill(
      columns.start_ns, [](Interval & i) -> auto& { return i.start_ns; });
  fill(
      columns.length_ns, [](Interval & i) -> auto& { return i.length_ns; });
  for (std::size_t d = 0; d < kDirections; ++d) {
    fill(
        columns.ios[d], [d](Interval & i) -> auto& { return i.ios[d]; });
    fill(
        columns.bytes[d], [d](Interval & i) -> auto& { return i.bytes[d]; });
  }
}

// The order of fields() below is that of the file. Who renames a member or leaves one out has made
// another schema.
template <class T>
inline constexpr bool kIsStartEnd = false;
template <class T>
inline constexpr bool kIsStartEnd<clock::StartEnd<T>> = true;

template <class Fields, class T>
requires kIsStartEnd<std::remove_const_t<T>>
void describe(Fields& fields, T& both) {
  fields("start", both.start);
  fields("end", both.end);
}

template <class Fields, Like<clock::PairBound> T>
void describe(Fields& fields, T& pair) {
  fields("first", pair.first);
  fields("second", pair.second);
  fields("least_ns", pair.least_ns);
  fields("most_ns", pair.most_ns);
}

template <class Fields, Like<clock::Uncertainty> T>
void describe(Fields& fields, T& uncertainty) {
  fields("single", uncertainty.single);
  fields("single_migrated", uncertainty.single_migrated);
  fields("p50_diff_min", uncertainty.p50_diff_min);
}

template <class Fields, Like<clock::Certificate> T>
void describe(Fields& fields, T& clock) {
  fields("source", clock.source);
  fields("verdict", clock.verdict);
  fields("read", clock.read);
  fields("read_cost_ns", clock.read_cost_ns);
  fields("stamp_bias_ns", clock.stamp_bias_ns);
  fields("granule_ns", clock.granule_ns);
  fields("hz", clock.hz);
  fields("hz_ppb", clock.hz_ppb);
  fields("hz_method", clock.hz_method);
  fields("hz_baseline_s", clock.hz_baseline_s);
  fields("mono_vs_raw_ppb", clock.mono_vs_raw_ppb);
  fields("cpus", clock.cpus);
  fields("method", clock.method);
  fields("pairs", clock.pairs_checked);
  fields("pairs_insufficient", clock.pairs_insufficient);
  fields("offset_bound_ns", clock.offset_bound_ns);
  fields("offsets", clock.offsets);
  fields("skew_proven", clock.skew_proven);
  fields("drift_bound_ppb", clock.drift_bound_ppb);
  fields("monotone", clock.monotone);
  fields("loops", clock.loops);
  fields("migrated_ios", clock.migrated_ios);
  fields("negative_deltas", clock.negative_deltas);
  fields("probe_ms", clock.probe_ms);
  fields("kernel_clocksource", clock.kernel_clocksource);
  fields("suspend", clock.suspend);
  fields("step_ns", clock.step_ns);
  fields("uncertainty_ns", clock.uncertainty_ns);
  fields("findings", clock.findings);
}

template <class Fields, Like<Host> T>
void describe(Fields& fields, T& host) {
  fields("hostname", host.hostname);
  fields("kernel", host.kernel);
  fields("machine", host.machine);
  fields("cpu_model", host.cpu_model);
  fields("cpus", host.cpus);
  fields("governor", host.governor);
  fields("clocksource", host.clocksource);
  fields("memory_bytes", host.memory_bytes);
  fields("hypervisor", host.hypervisor);
  fields("utc_offset_s", host.utc_offset_s);
}

template <class Fields, Like<Run> T>
void describe(Fields& fields, T& run) {
  fields("version", run.version);
  fields("complete", run.complete);
  fields("stopped_by", run.stopped_by);
  fields("command_line", run.command_line);
  fields("global_options", run.global_options);
  fields("clock", run.clock);
  fields("host", run.host);
  fields("notes", run.notes);
}

template <class Fields, Like<Depths> T>
void describe(Fields& fields, T& depths) {
  fields("level", depths.level);
  fields("submit", depths.submit);
  fields("complete", depths.complete);
  fields("depth_sum", depths.depth_sum);
}

template <class Fields, Like<pmu::Usage> T>
void describe(Fields& fields, T& usage) {
  fields("user_ns", usage.user_ns);
  fields("system_ns", usage.system_ns);
  fields("context_switches", usage.context_switches);
  fields("major_faults", usage.major_faults);
  fields("minor_faults", usage.minor_faults);
}

template <class Fields, Like<EngineFacts> T>
void describe(Fields& fields, T& facts) {
  fields("polled", facts.polled);
  fields("fixed_buffers", facts.fixed_buffers);
  fields("registered_files", facts.registered_files);
  fields("enter_calls", facts.enter_calls);
  fields("inline_completions", facts.inline_completions);
  fields("punts", facts.punts);
  fields("sq_poll", facts.sq_poll);
  fields("kernel_workers", facts.kernel_workers);
}

template <class Fields, Like<TargetInfo> T>
void describe(Fields& fields, T& target) {
  fields("path", target.path);
  fields("type", target.type);
  fields("file_system", target.file_system);
  fields("device", target.device);
  fields("model", target.model);
  fields("firmware", target.firmware);
  fields("serial", target.serial);
  fields("scheduler", target.scheduler);
  fields("bytes", target.bytes);
  fields("logical_block", target.logical_block);
}

template <class Fields, Like<IoError> T>
void describe(Fields& fields, T& error) {
  fields("operation", error.operation);
  fields("path", error.path);
  fields("offset", error.offset);
  fields("length", error.length);
  fields("error", error.error);
  fields("text", error.text);
}

// fio's keys beside this block hold name, group, start, error and counts: these are not written
// twice.
template <class Fields, Like<Job> T>
void describe(Fields& fields, T& job) {
  fields("workers", job.workers);
  fields("rw", job.rw);
  fields("ioengine", job.ioengine);
  fields("bs", job.bs);
  fields("block_size", job.block_size);
  fields("iodepth", job.iodepth);
  fields("numjobs", job.numjobs);
  fields("synchronous", job.synchronous);
  fields("runtime_ns", job.runtime_ns);
  fields("runtime_sum_ns", job.runtime_sum_ns);
  fields("elapsed_ns", job.elapsed_ns);
  fields("percentile_list", job.percentile_list);
  fields("clat_percentiles", job.clat_percentiles);
  fields("slat_percentiles", job.slat_percentiles);
  fields("lat_percentiles", job.lat_percentiles);
  fields("options", job.options);
  fields("depths", job.depths);
  fields("usage", job.usage);
  fields("pmu", job.pmu);
  fields("facts", job.facts);
  fields("targets", job.targets);
  fields("errors", job.errors);
  fields("notes", job.notes);
  fields("outstanding", job.outstanding);
  fields("migrated_ios", job.migrated_ios);
  fields("negative_deltas", job.negative_deltas);
  fields("intervals", job.intervals);
}

// n, min and max are in fio's keys, exactly. Mean and deviation there are rounded; these give them.
template <class Fields, Like<Distribution> T>
void describe(Fields& fields, T& distribution) {
  fields("sum", distribution.moments.sum);
  fields("sum_squares", distribution.moments.sum_squares);
  fields("hist", distribution.counts);
}

template <class Fields, Like<Direction> T>
void describe(Fields& fields, T& direction) {
  fields("runtime_ns", direction.runtime_ns);
  fields("slat", direction.slat);
  fields("clat", direction.clat);
  fields("lat", direction.lat);
}

template <class Fields, Like<Sync> T>
void describe(Fields& fields, T& sync) {
  fields("lat", sync.lat);
}

// Constants of this version behind the members: they tell a reader in ten years how to read `hist`.
Json own_block(const Run& run) {
  Json block = {{"schema", kSchema}};
  block.update(to_tree(run));
  block["quantile_rule"] = "ceil-rank, in-bucket linear, clamped";
  block["hist"] = {{"bits", stats::kBits}, {"unit", "ns"}, {"max_bits", stats::kMaxBits}};
  return block;
}
Json own_block(const clock::Certificate& certificate) { return to_tree(certificate); }
// Derived figures are added for people and scripts, and passed over when the block is read.
Json own_block(const Job& job) {
  const auto share = [&job](std::optional<std::uint64_t> count) {
    return to_tree(count ? per_io(job, *count) : std::nullopt);
  };
  const auto calls = [](const auto& batches) {
    return std::accumulate(batches.begin(), batches.end(), std::uint64_t{0});
  };
  const std::optional<std::int64_t> enters = job.facts.enter_calls;
  Json block = to_tree(job);
  block["per_io"] = {
      {"depth", share(job.depths.depth_sum)},
      {"submissions", share(calls(job.depths.submit))},
      {"reaps", share(calls(job.depths.complete))},
      {"enter_calls",
       share(enters ? std::optional(static_cast<std::uint64_t>(*enters)) : std::nullopt)}};
  add_pmu_figures(block["pmu"], job);
  return block;
}
Json own_block(const Direction& direction) { return to_tree(direction); }
Json own_block(const Sync& sync) { return to_tree(sync); }

void read_own_block(const Node& node, Run& run) { from_tree(node, run); }
void read_own_block(const Node& node, Job& job) { from_tree(node, job); }
void read_own_block(const Node& node, Direction& direction) { from_tree(node, direction); }
void read_own_block(const Node& node, Sync& sync) { from_tree(node, sync); }

}  // namespace chronio::results

// worker_result.cpp: what a worker leaves behind, as results::Job.
#include "runner/worker.hpp"

#include <fmt/format.h>

namespace chronio::runner {
namespace {

constexpr const char* kGivenUp =
    "the run was given up before this job had ended: latencies are those of the histograms";

// The engine's -1 becomes nothing: a result never holds a number that was not measured.
std::optional<std::int64_t> known(std::int64_t fact) {
  return fact < 0 ? std::nullopt : std::optional(fact);
}

/// All options, with what they came to and where from: two results can be compared only by what was
/// in force, defaults included.
std::vector<results::Option> effective_options(const PlannedJob& planned) {
  std::vector<results::Option> options;
  for (const jobs::OptionRow* row : jobs::option_rows())
    options.push_back({std::string(row->key), jobs::spell(*row, planned.spec.job),
                       origin_of(jobs::written_by(planned.spec, *row))});
  for (const EngineOption& option : planned.engine_options)
    options.push_back(
        {option.name, option.text, origin_of(last_setting(planned.spec.unknown, option.name))});
  return options;
}

std::string spelled(const jobs::Job& job, std::string_view key) {
  return jobs::spell(*jobs::find_option(key), job);
}

results::EngineFacts facts_of(const Facts& facts) {
  return {known(facts.polled),      known(facts.fixed_buffers),      known(facts.registered_files),
          known(facts.enter_calls), known(facts.inline_completions), known(facts.punts),
          known(facts.sq_poll),     known(facts.kernel_workers)};
}

/// Whole histogram and exact moments; without `exact`, moments as far as the buckets tell them: the
/// exact ones belong to a thread that still runs. No histogram: none was kept.
results::Distribution distribution(const stats::Histogram* histogram, const stats::Moments& moments,
                                   bool exact) {
  results::Distribution out;
  if (histogram != nullptr) out.counts = histogram->counts();
  out.moments = exact ? moments : stats::moments_of(out.counts);
  return out;
}

}  // namespace

Measured Worker::measured_so_far(Step step) const noexcept {
  const std::uint64_t now = timebase_.now();
  switch (step) {
    // What the step promises may be read (see Step), and no more: the worker may still write the
    // rest.
    case Step::measuring: return {measured_.begin, now, {}};
    case Step::measured: return {measured_.begin, measured_.end, {}};
    default: return {now, now, {}};
  }
}

// Of the plan alone, so it can be told of a worker whose thread never gets anywhere.
results::Job Worker::described() const {
  const PlannedJob& planned = job();
  const jobs::Job& options = planned.spec.job;
  results::Job out;
  out.jobname = options.name;
  out.description = options.description;
  out.groupid = planned.group;
  out.rw = spelled(options, "rw");
  out.bs = spelled(options, "bs");
  out.ioengine = options.ioengine;
  out.block_size = options.bs;
  out.iodepth = options.iodepth;
  out.numjobs = options.numjobs;
  out.synchronous = synchronous();
  out.options = effective_options(planned);
  out.percentile_list = options.percentile_list;
  out.clat_percentiles = options.clat_percentiles;
  out.slat_percentiles = options.slat_percentiles;
  out.lat_percentiles = options.lat_percentiles;
  out.notes = planned.notes;
  return out;
}

results::Job Worker::result(double hz, bool exact) const {
  results::Job out = described();
  const Step step = live_.step.load(std::memory_order_acquire);
  if (!exact) out.notes.emplace_back(kGivenUp);
  // Nothing else is there to be read: recorders may be in the making.
  if (!exact && step == Step::setting_up) return out;
  // Run times by the rate of the whole run: over hours it is better known than the one that
  // latencies were converted by.
  const auto ns = [hz](std::uint64_t ticks) {
    return static_cast<std::uint64_t>(static_cast<double>(ticks) * 1e9 / hz);
  };
  const Measured measured = exact ? measured_ : measured_so_far(step);
  out.job_start_ms = job_start_ms_;
  out.runtime_ns = ns(measured.end - measured.begin);
  out.elapsed_ns = ns(measured.end - start_ticks_);
  out.outstanding = exact ? outstanding_ : live_.outstanding.get();
  for (std::size_t i = 0; i < results::kDirections; ++i) fill_direction(out, i, exact);
  if (const Recorder* sync = recorder(kSyncRecorder); sync != nullptr) {
    out.sync.total_ios = sync->ios.get();
    if (sync->keeps_clat)
      out.sync.lat = distribution(&sync->clat, sync->moments.clat(out.sync.total_ios), exact);
  }
  if (exact) fill_what_ended(out);
  return out;
}

void Worker::fill_what_ended(results::Job& out) const {
  out.depths = depths_.summary();
  if (out.synchronous) {  // one at a time, so there was nothing to count in the loop
    std::uint64_t ios = 0;
    for (const results::Direction& direction : out.directions) ios += direction.total_ios;
    out.depths.level[0] = out.depths.submit[1] = out.depths.complete[1] = out.depths.depth_sum =
        ios;
  }
  out.usage = measured_.usage;
  fill_pmu(out);
  out.facts = facts_of(facts_);
  out.errors = errors_;
  out.migrated_ios = migrated_ios();
  out.negative_deltas = negative_deltas_;
  // The first failure is the cause; 0 bytes where data was due have no errno of their own.
  if (!errors_.empty()) out.error = errors_.front().error == 0 ? EIO : errors_.front().error;
  out.notes.insert(out.notes.end(), notes_.begin(), notes_.end());
  if (more_errors_ != 0)
    out.notes.push_back(fmt::format("{} further I/Os failed and are not listed", more_errors_));
}

std::optional<std::uint64_t> Worker::migrated_ios() const noexcept {
  const bool tells =
      timebase_.with_counter([](auto counter) { return decltype(counter)::kTellsCpu; });
  // Where not every stamp is a reading, CPUs are not looked at.
  return tells && latencies().all() ? std::optional(migrated_ios_) : std::nullopt;
}

void Worker::fill_direction(results::Job& job, std::size_t direction, bool exact) const {
  const Recorder* from = recorder(direction);
  if (from == nullptr) return;
  results::Direction& to = job.directions[direction];
  to.total_ios = from->ios.get();
  to.short_ios = from->short_ios.get();
  to.io_bytes = from->bytes.get();
  // fio has 0 for a direction without I/Os.
  if (to.total_ios != 0) to.runtime_ns = job.runtime_ns;
  const Latencies measured = latencies();
  if (measured.clat) to.clat = distribution(&from->clat, from->moments.clat(to.total_ios), exact);
  if (measured.lat) to.lat = distribution(from->lat.get(), from->moments.lat(to.total_ios), exact);
  if (measured.slat && !job.synchronous)
    to.slat = distribution(from->slat.get(), from->moments.slat(to.total_ios), exact);
}

}  // namespace chronio::runner

// plan.cpp: stages, groups, clones and limits.
#include "runner/plan.hpp"

#include "runner/planner.hpp"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <limits>
#include <sys/random.h>
#include <utility>

namespace chronio::runner {
namespace {

constexpr std::uint64_t kRepeatableSeed =
    0x6368726f6e696f;  // any number, but the same in every release

std::uint64_t base_seed(const jobs::Job& job) {
  if (job.randseed) return *job.randseed;
  if (job.randrepeat) return kRepeatableSeed;
  std::uint64_t seed = 0;
  // An order that is the same each time is better than no run.
  if (::getrandom(&seed, sizeof seed, 0) != sizeof seed) seed = kRepeatableSeed;
  return seed;
}

/// Saturates: loops= times a large amount means "for ever", not a small number.
std::uint64_t times(std::uint64_t bytes, std::uint32_t loops) noexcept {
  return bytes > std::numeric_limits<std::uint64_t>::max() / loops
             ? std::numeric_limits<std::uint64_t>::max()
             : bytes * loops;
}

/// Rounded up to a multiple of `block`, but for what is near 2^64.
std::uint64_t in_blocks(std::uint64_t bytes, std::uint64_t block) noexcept {
  const std::uint64_t over = bytes % block;
  return over == 0 || bytes > std::numeric_limits<std::uint64_t>::max() - block
             ? bytes
             : bytes - over + block;
}

std::uint64_t range_bytes(const workload::PatternSpec& pattern) noexcept {
  std::uint64_t bytes = 0;
  for (const workload::Range& range : pattern.files) bytes += range.bytes;
  return bytes;
}

/// What is transferred until blocks come again: where no file waits, of the smallest one, as files
/// take turns.
std::uint64_t pass_bytes(const workload::PatternSpec& pattern) {
  const std::uint32_t times_each = jobs::trims_first(pattern.rw) ? 2 : 1;
  if (pattern.files_wait) return times(workload::Pattern::pass_bytes(pattern), times_each);
  workload::PatternSpec one = pattern;
  one.files = {*std::min_element(
      pattern.files.begin(), pattern.files.end(),
      [](const workload::Range& a, const workload::Range& b) { return a.bytes < b.bytes; })};
  return times(workload::Pattern::pass_bytes(one) * times_each,
               static_cast<std::uint32_t>(pattern.files.size()));
}

/// As fio: a job without passes (random without a map) drops caches only when it starts.
bool drops_caches_again(const jobs::Job& job, const EngineInfo& engine) noexcept {
  const bool cached = !job.direct || has_flag(engine, kMapsFiles);
  return job.invalidate && cached && !(jobs::is_random(job.rw) && job.norandommap) &&
         !has_flag(engine, kNoData | kOpensFiles | kDiskless);
}

Access access_of(jobs::Rw rw) noexcept {
  // The least that is enough: what is only read is never opened for writing, and a write-only file
  // can't be read by mistake.
  if (!jobs::changes(rw)) return Access::read_only;
  return jobs::reads(rw) ? Access::read_write : Access::write_only;
}

}  // namespace

std::uint64_t largest_transfer(const jobs::Job& job) noexcept {
  const std::uint64_t read = jobs::reads(job.rw) ? job.bs[0] : 0;
  const std::uint64_t write = jobs::writes(job.rw) ? job.bs[1] : 0;
  return std::max(read, write);
}

std::uint64_t largest_block(const jobs::Job& job) noexcept {
  const std::uint64_t trim = jobs::trims(job.rw) ? job.bs[2] : 0;
  return std::max(largest_transfer(job), trim);
}

const jobs::Setting* last_setting(const std::vector<jobs::Setting>& settings,
                                  std::string_view key) noexcept {
  const auto last = std::find_if(settings.rbegin(), settings.rend(),
                                 [&](const jobs::Setting& setting) { return setting.key == key; });
  return last == settings.rend() ? nullptr : &*last;
}

std::string origin_of(const jobs::Setting* setting) {
  if (setting == nullptr) return "default";
  if (setting->where.line == 0) return setting->where.file;
  return fmt::format("{}:{}", setting->where.file, setting->where.line);
}

jobs::Where Planner::where_of(const jobs::JobSpec& spec, std::string_view key) {
  const jobs::OptionRow* row = jobs::find_option(key);
  // Without a row it is an engine's.
  const jobs::Setting* setting =
      row != nullptr ? jobs::written_by(spec, *row) : last_setting(spec.unknown, key);
  return setting == nullptr ? spec.where : setting->where;
}

void Planner::error(const jobs::JobSpec& spec, std::string_view key, std::string message) {
  plan_.diagnostics.push_back({jobs::Severity::error, where_of(spec, key),
                               fmt::format("job {}: {}", spec.job.name, std::move(message))});
}

void Planner::warn(PlannedJob& planned, std::string_view key, std::string message) {
  if (repeats_) return;
  planned.notes.push_back(message);
  plan_.diagnostics.push_back(
      {jobs::Severity::warning, where_of(planned.spec, key),
       fmt::format("job {}: {}", planned.spec.job.name, std::move(message))});
}

void Planner::add_job(jobs::JobSpec spec) {
  const EngineInfo* engine = find_job_engine(spec);
  if (engine == nullptr) return;
  const auto index = static_cast<std::uint32_t>(plan_.jobs.size());
  PlannedJob& planned = plan_.jobs.emplace_back();
  // From here on everything is checked, whatever has been found already: all mistakes in one go.
  planned.spec = std::move(spec);
  read_engine_options(planned, *engine);
  check_depth(planned, *engine);
  check_ring(planned);
  check_direction(planned, *engine);
  check_cpus(planned);
  check_latencies(planned);
  warn_of_mapping(planned, *engine);
  read_pmu(planned);
  jobs::Job& job = planned.spec.job;
  if (job.time_based && job.runtime_ns == 0) {
    warn(planned, "time_based", "time_based without runtime= has no effect");
    job.time_based = false;
  }
  workers_ += job.numjobs;
  if (workers_ > options_.max_jobs) {
    error(
        planned.spec, "numjobs",
        fmt::format("{} jobs in all, more than --max-jobs={} allows", workers_, options_.max_jobs));
    return;
  }
  if (fits_generated_files(planned.spec, *engine)) add_clones(index, *engine);
}

void Planner::check_latencies(PlannedJob& planned) {
  const jobs::Job& job = planned.spec.job;
  const auto check = [&](bool wanted, bool measured, const char* name, const char* option) {
    if (wanted && !measured)
      warn(planned, option,
           fmt::format("{}_percentiles=1 has no effect: {} leaves this latency unmeasured", name,
                       job.gtod_reduce ? "gtod_reduce" : option));
  };
  check(job.slat_percentiles, !job.gtod_reduce && !job.disable_slat, "slat", "disable_slat");
  check(job.lat_percentiles, !job.gtod_reduce && !job.disable_lat, "lat", "disable_lat");
}

void Planner::add_clones(std::uint32_t job, const EngineInfo& engine) {
  const jobs::Job& options = plan_.jobs[job].spec.job;
  // As fio: a stonewall begins a group, too, but not before the first job. Copies do not count for
  // themselves.
  if (group_open_ && (options.stonewall || options.new_group)) ++group_;
  group_open_ = true;
  plan_.jobs[job].group = group_;
  std::vector<WorkerPlan> workers;
  for (std::uint32_t clone = 0; clone < options.numjobs; ++clone) {
    const std::size_t errors = plan_.diagnostics.size();
    workers.push_back(worker(job, clone, engine));
    // One wrong clone says enough: the others would repeat it.
    if (plan_.diagnostics.size() > errors && jobs::has_errors(plan_.diagnostics)) return;
  }
  place_in_stage(options, std::move(workers));
}

void Planner::place_in_stage(const jobs::Job& job, std::vector<WorkerPlan> workers) {
  if (plan_.stages.empty() || (job.stonewall && !plan_.stages.back().workers.empty()))
    plan_.stages.emplace_back();
  for (WorkerPlan& worker : workers) plan_.stages.back().workers.push_back(std::move(worker));
}

WorkerPlan Planner::worker(std::uint32_t job, std::uint32_t clone, const EngineInfo& engine) {
  PlannedJob& planned = plan_.jobs[job];
  const jobs::Job& options = planned.spec.job;
  WorkerPlan plan;
  plan.job = job;
  plan.clone = clone;
  plan.engine = &engine;
  plan.access = access_of(options.rw);
  plan.iodepth = has_flag(engine, kSynchronous) ? 1 : options.iodepth;
  plan.pattern.rw = options.rw;
  plan.pattern.rwmixread = options.rwmixread;
  for (std::size_t i = 0; i < options.bs.size(); ++i)
    plan.pattern.bs[i] = static_cast<std::uint32_t>(options.bs[i]);
  // Another order for each job and copy: copies that read the same blocks in the same order would
  // measure the cache.
  plan.pattern.seed = workload::mix_seed(workload::mix_seed(base_seed(options), job), clone);
  plan.pattern.norandommap = options.norandommap;
  // As fio: a job that ends with its bytes has every file's, and only time_based files go on alone.
  plan.pattern.files_wait = !options.time_based;
  add_files(planned, plan);
  if (plan.pattern.files.empty()) return plan;
  set_limits(planned, plan);
  // Once for the job: all copies have as many files.
  if (clone == 0) warn_of_turns(planned, plan.files.size(), engine);
  return plan;
}

/// size= beside filesize=: as fio, no more than the files hold, unless io_size= says so.
std::uint64_t Planner::bytes_in_all(const PlannedJob& planned, const WorkerPlan& worker,
                                    std::uint64_t size) {
  const std::uint64_t held = range_bytes(worker.pattern);
  const std::uint64_t pass = workload::Pattern::pass_bytes(worker.pattern);
  if (size <= held) return std::min(size, pass);
  if (worker.clone == 0 && !planned.spec.job.io_size)
    warn(plan_.jobs[worker.job], "size",
         fmt::format("size={} is more than the {} bytes of its files: they are passed once; "
                     "io_size={} would transfer that much",
                     size, held, size));
  return pass;
}

void Planner::set_limits(const PlannedJob& planned, WorkerPlan& worker) {
  const jobs::Job& job = planned.spec.job;
  const auto block = static_cast<std::uint32_t>(largest_block(job));
  for (const PlannedFile& file : worker.files)
    worker.buf_align = std::max(worker.buf_align, plan_.targets[file.target].target.logical_block);
  // sysfs and statx(2) promise no power of two, and std::align needs one.
  worker.buf_align = std::bit_ceil(worker.buf_align);
  worker.buf_stride = (block + worker.buf_align - 1) / worker.buf_align * worker.buf_align;
  if (drops_caches_again(job, *worker.engine)) worker.pass_bytes = pass_bytes(worker.pattern);
  // An engine that does no I/O has no amount either: it goes on as long as the job runs, or as fio
  // has it, as long as there is another job.
  const bool lasts = has_flag(*worker.engine, kWholeFiles) && has_flag(*worker.engine, kDiskless);
  worker.background = lasts && job.runtime_ns == 0;
  // No limit in bytes: passes go on until the time is over, or until others have ended.
  if (job.time_based || lasts) return;
  std::uint64_t bytes = workload::Pattern::pass_bytes(worker.pattern);
  std::uint64_t whole = range_bytes(worker.pattern);  // what a percentage is of
  if (job.filesize != 0 && job.size && job.size->percent == 0) {
    bytes = bytes_in_all(planned, worker, job.size->bytes);
    whole = std::min(whole, job.size->bytes);
  }
  const std::uint64_t asked = job.io_size ? amount_of(*job.io_size, whole) : bytes;
  // As fio: a loop ends with io_size or with size, and io_size is reached in any case.
  bytes = std::max(times(std::min(asked, bytes), job.loops), asked);
  if (jobs::trims_first(job.rw))
    bytes = times(bytes, 2);  // as fio: the limit is on what is written
  // As fio: the block that reaches the limit is transferred whole. 0 would be no limit at all.
  worker.io_limit = in_blocks(std::max(bytes, std::uint64_t{1}), block);
}

void Planner::check_ends() {
  for (const Stage& stage : plan_.stages) {
    const auto background = [](const WorkerPlan& worker) { return worker.background; };
    if (std::all_of(stage.workers.begin(), stage.workers.end(), background))
      for (const WorkerPlan& worker : stage.workers)
        if (worker.clone == 0)
          warn(plan_.jobs[worker.job], "ioengine",
               "the job goes on until it is stopped: runtime= would end it, or another job beside "
               "it");
  }
}

Plan make_plan(std::vector<jobs::JobSpec> specs, const RunOptions& options) {
  Plan plan;
  Planner planner(plan, options);
  // So that references to a planned job hold while others are added.
  plan.jobs.reserve(specs.size());
  for (jobs::JobSpec& spec : specs) {
    if (spec.job.clocksource != jobs::ClockSource::automatic)
      plan.clocksource = spec.job.clocksource;
    planner.add_job(std::move(spec));
  }
  // Only when all is known: what counts is what runs together.
  planner.check_descriptors();
  planner.check_ends();
  plan.policy = options.policy;
  return plan;
}

std::vector<std::string> target_paths(const Plan& plan) {
  std::vector<std::string> paths;
  for (const PlannedTarget& target : plan.targets)
    if (!target.diskless) paths.push_back(target.target.path);
  return paths;
}

}  // namespace chronio::runner

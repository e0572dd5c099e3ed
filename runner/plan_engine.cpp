// plan_engine.cpp: the engine of a job, its options, and what the job asks of depth and CPUs.
#include "jobs/engine_value.hpp"
#include "runner/planner.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <optional>
#include <sched.h>
#include <unistd.h>

namespace chronio::runner {
namespace {

// Where the kernel answers a bare EINVAL, a number in a message is worth repeating its limit here.
constexpr std::uint32_t kMostEntries = 32768;  // of io_uring_setup(2)
constexpr std::uint32_t kMostBuffers = 16384;  // of io_uring_register(2)

// By index, as the engine declared them.
std::vector<std::string> option_names(const EngineInfo& engine) {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < engine.option_count; ++i)
    names.emplace_back(engine_option(engine, i).name);
  return names;
}

std::vector<jobs::Diagnostic> unknown_options(const jobs::JobSpec& spec, const EngineInfo& engine) {
  std::vector<jobs::Diagnostic> diagnostics;
  const std::vector<std::string> names = option_names(engine);
  for (const jobs::Setting& setting : spec.unknown)
    if (std::find(names.begin(), names.end(), setting.key) == names.end())
      diagnostics.push_back(jobs::unknown_option(setting, names));
  return diagnostics;
}

/// The two enumerations are kept alike on purpose: jobs knows no engines, so it can't use theirs.
jobs::ValueRule rule_of(const OptionDecl& decl) {
  return {static_cast<jobs::ValueType>(decl.type), static_cast<jobs::ValueUnit>(decl.unit),
          decl.minimum, decl.maximum, decl.choices};
}

/// CPUs that this process may use, ascending; empty when the kernel doesn't tell.
std::vector<std::uint32_t> usable_cpus() {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  std::vector<std::uint32_t> usable;
  // Fails where the kernel's mask is larger, above 1024 CPUs: then nothing is checked.
  if (::sched_getaffinity(0, sizeof mine, &mine) != 0) return usable;
  for (std::uint32_t cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &mine)) usable.push_back(cpu);
  return usable;
}

}  // namespace

const EngineOption* option_of(const PlannedJob& planned, std::string_view name) {
  const auto& options = planned.engine_options;
  const auto found =
      std::find_if(options.begin(), options.end(),
                   [name](const EngineOption& option) { return option.name == name; });
  return found == options.end() ? nullptr : &*found;
}

bool is_on_ring(const PlannedJob& planned) {
  return option_of(planned, "sqthread_poll") != nullptr;
}

const EngineInfo* Planner::find_job_engine(const jobs::JobSpec& spec) {
  try {
    return &find_engine(spec.job.ioengine);
  } catch (const EngineError& refused) {
    error(spec, "ioengine", refused.what());
    return nullptr;
  }
}

std::vector<jobs::Diagnostic> unknown_options(const std::vector<jobs::JobSpec>& specs) {
  std::vector<jobs::Diagnostic> diagnostics;
  for (const jobs::JobSpec& spec : specs) {
    try {
      for (jobs::Diagnostic& diagnostic : unknown_options(spec, find_engine(spec.job.ioengine)))
        diagnostics.push_back(std::move(diagnostic));
    } catch (const EngineError& refused) {
      diagnostics.push_back({jobs::Severity::error, spec.where, refused.what()});
    }
  }
  return diagnostics;
}

void Planner::read_engine_options(PlannedJob& planned, const EngineInfo& engine) {
  const std::vector<std::string> names = option_names(engine);
  for (jobs::Diagnostic& diagnostic : unknown_options(planned.spec, engine))
    plan_.diagnostics.push_back(std::move(diagnostic));
  for (std::uint32_t i = 0; i < engine.option_count; ++i) {
    const OptionDecl& decl = engine_option(engine, i);
    const jobs::Setting* set = last_setting(planned.spec.unknown, names[i]);
    // The fallback goes through the same reading as what a user writes: it is text in the same
    // units.
    jobs::Setting fallback{
        .key = names[i], .value = decl.fallback, .has_value = true, .where = planned.spec.where};
    const jobs::Setting& setting = set != nullptr ? *set : fallback;
    std::optional<jobs::Diagnostic> mistake;
    const std::optional<std::int64_t> number = jobs::read_setting(rule_of(decl), setting, mistake);
    if (mistake) plan_.diagnostics.push_back(*std::move(mistake));
    planned.engine_options.push_back(
        // A bare flag is 1.
        {names[i], setting.has_value ? setting.value : "1", number.value_or(0)});
  }
}

void Planner::check_depth(PlannedJob& planned, const EngineInfo& engine) {
  const jobs::Job& job = planned.spec.job;
  // As fio's note: the job runs, at the depth that there is.
  if ((engine.flags & kSynchronous) != 0 && job.iodepth > 1)
    warn(planned, "iodepth",
         fmt::format("iodepth={} has no effect with {}, a synchronous engine: the depth is 1",
                     job.iodepth, engine.name));
  // fio lowers them unseen; a synchronous engine has been told of already.
  const auto lowered = [&](std::uint32_t value, const char* key) {
    if (value <= job.iodepth || has_flag(engine, kSynchronous)) return;
    warn(planned, key, fmt::format("{}={} is lowered to iodepth={}", key, value, job.iodepth));
  };
  lowered(job.iodepth_low, "iodepth_low");
  lowered(job.iodepth_batch_submit, "iodepth_batch_submit");
  lowered(job.iodepth_batch_complete_min, "iodepth_batch_complete_min");
  if (job.iodepth_batch_complete_max != 0 &&
      job.iodepth_batch_complete_min > job.iodepth_batch_complete_max)
    warn(planned, "iodepth_batch_complete_max",
         fmt::format("iodepth_batch_complete_max={} is raised to iodepth_batch_complete_min={}",
                     job.iodepth_batch_complete_max, job.iodepth_batch_complete_min));
  // Buffers are not reserved but touched as they are used, so what would not fit would end the
  // process in the middle of the run.
  for (const std::uint64_t bs : job.bs)
    if (job.iodepth * bs > static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                               static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE))) {
      error(planned.spec, "iodepth",
            fmt::format("iodepth={} buffers of bs={} bytes are more than this machine's memory",
                        job.iodepth, bs));
      return;
    }
}

void Planner::check_ring(const PlannedJob& planned) {
  const auto number = [&](const char* name) {
    const EngineOption* option = option_of(planned, name);
    return option == nullptr ? 0 : option->number;
  };
  if (!is_on_ring(planned)) return;
  const std::uint32_t iodepth = planned.spec.job.iodepth;
  if (iodepth > kMostEntries)
    error(planned.spec, "iodepth",
          fmt::format("iodepth={}: a ring of io_uring holds at most {} requests", iodepth,
                      kMostEntries));
  else if (number("fixedbufs") != 0 && iodepth > kMostBuffers)
    error(planned.spec, "iodepth",
          fmt::format("iodepth={}: with fixedbufs the kernel registers at most {} buffers", iodepth,
                      kMostBuffers));
  const std::int64_t cpu = number("sqthread_poll_cpu");
  // Configured ones: a CPU that is offline may come back, and the kernel says so itself.
  const std::int64_t cpus = ::sysconf(_SC_NPROCESSORS_CONF);
  if (number("sqthread_poll") != 0 && cpu >= cpus)
    error(planned.spec, "sqthread_poll_cpu",
          fmt::format("sqthread_poll_cpu={}: this machine has CPUs 0-{}", cpu, cpus - 1));
  if (number("hybrid_poll") != 0 && number("hipri") == 0)
    error(planned.spec, "hybrid_poll", "hybrid_poll=1 is a way to poll, and needs hipri=1");
}

// sched_setaffinity(2) leaves out what can't be used, without a word, as long as one CPU is left.
void Planner::check_cpus(const PlannedJob& planned) {
  const jobs::Job& job = planned.spec.job;
  if (job.cpus_allowed.empty()) return;
  const std::vector<std::uint32_t> usable = usable_cpus();
  if (usable.empty()) return;
  std::vector<std::uint32_t> barred;
  std::copy_if(
      job.cpus_allowed.begin(), job.cpus_allowed.end(), std::back_inserter(barred),
      [&](std::uint32_t cpu) { return !std::binary_search(usable.begin(), usable.end(), cpu); });
  if (barred.empty()) return;
  error(planned.spec, "cpus_allowed",
        fmt::format(
            "cpus_allowed: CPU {} can't be used; this machine has CPUs 0-{}, and this process "
            "may use {}",
            fmt::join(barred, ","), ::sysconf(_SC_NPROCESSORS_CONF) - 1, fmt::join(usable, ",")));
}

}  // namespace chronio::runner

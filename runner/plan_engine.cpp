// plan_engine.cpp: the engine of a job, its options, and what the job asks of depth and CPUs.
#include "runner/planner.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>
#include <unistd.h>

namespace chronio::runner {
namespace {

const OptionDecl& option_of(const EngineInfo& engine, std::uint32_t index) {
  const auto* bytes = static_cast<const std::byte*>(static_cast<const void*>(engine.options));
  return *static_cast<const OptionDecl*>(
      static_cast<const void*>(bytes + std::size_t{index} * engine.option_size));
}

std::vector<std::string> option_names(const EngineInfo& engine) {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < engine.option_count; ++i)
    names.emplace_back(option_of(engine, i).name);
  return names;
}

jobs::ValueRule rule_of(const OptionDecl& decl) {
  jobs::ValueRule rule;
  rule.type = static_cast<jobs::ValueType>(decl.type);
  rule.unit = static_cast<jobs::ValueUnit>(decl.unit);
  rule.minimum = decl.minimum;
  rule.maximum = decl.maximum;
  for (const char* const* choice = decl.choices; choice != nullptr && *choice != nullptr; ++choice)
    rule.choices.emplace_back(*choice);
  return rule;
}

}  // namespace

const EngineInfo* Planner::find_job_engine(const jobs::JobSpec& spec) {
  try {
    return &find_engine(spec.job.ioengine);
  } catch (const EngineError& refused) {
    error(spec, "ioengine", refused.what());
    return nullptr;
  }
}

void Planner::read_engine_options(PlannedJob& planned, const EngineInfo& engine) {
  const std::vector<std::string> names = option_names(engine);
  for (const jobs::Setting& setting : planned.spec.unknown)
    if (std::find(names.begin(), names.end(), setting.key) == names.end())
      plan_.diagnostics.push_back(jobs::unknown_option(setting, names));
  for (std::uint32_t i = 0; i < engine.option_count; ++i) {
    const OptionDecl& decl = option_of(engine, i);
    const auto last = std::find_if(planned.spec.unknown.rbegin(), planned.spec.unknown.rend(),
                                   [&](const jobs::Setting& s) { return s.key == names[i]; });
    const bool set = last != planned.spec.unknown.rend();
    std::string text = set && last->has_value ? last->value : decl.fallback;
    if (set && !last->has_value) text = decl.type == OptionType::flag ? "1" : "";
    const jobs::Read<std::int64_t> read = jobs::read_value(text, rule_of(decl));
    if (!read.error.empty())
      plan_.diagnostics.push_back({jobs::Severity::error, set ? last->where : planned.spec.where,
                                   fmt::format("{}={}: {}", names[i], text, read.error)});
    planned.engine_options.push_back({names[i], std::move(text), read.value});
  }
}

void Planner::check_depth(PlannedJob& planned, const EngineInfo& engine) {
  const jobs::Job& job = planned.spec.job;
  if ((engine.flags & kSynchronous) != 0 && job.iodepth > 1)
    warn(planned, "iodepth",
         fmt::format("iodepth={} has no effect with {}, a synchronous engine: the depth is 1",
                     job.iodepth, engine.name));
  if (job.iodepth_batch_complete_max != 0 &&
      job.iodepth_batch_complete_min > job.iodepth_batch_complete_max)
    warn(planned, "iodepth_batch_complete_max",
         fmt::format("iodepth_batch_complete_max={} is raised to iodepth_batch_complete_min={}",
                     job.iodepth_batch_complete_max, job.iodepth_batch_complete_min));
  for (const std::uint64_t bs : job.bs)
    if (job.iodepth * bs > static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                               static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE))) {
      error(planned.spec, "iodepth",
            fmt::format("iodepth={} buffers of bs={} bytes are more than this machine's memory",
                        job.iodepth, bs));
      return;
    }
}

void Planner::check_cpus(const PlannedJob& planned) {
  const jobs::Job& job = planned.spec.job;
  if (job.cpus_allowed.empty()) return;
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (::sched_getaffinity(0, sizeof mine, &mine) != 0) return;
  std::vector<std::uint32_t> barred;
  for (const std::uint32_t cpu : job.cpus_allowed)
    if (cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, &mine)) barred.push_back(cpu);
  if (barred.empty()) return;
  std::vector<int> usable;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &mine)) usable.push_back(cpu);
  error(planned.spec, "cpus_allowed",
        fmt::format("cpus_allowed: CPU {} can't be used; this machine has CPUs 0-{}, and this process "
                    "may use {}",
                    fmt::join(barred, ","), ::sysconf(_SC_NPROCESSORS_CONF) - 1,
                    fmt::join(usable, ",")));
}

}  // namespace chronio::runner

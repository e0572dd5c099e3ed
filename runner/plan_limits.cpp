// plan_limits.cpp: what a plan needs of the process, held against its limits.
#include "runner/planner.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <sys/resource.h>

namespace chronio::runner {
namespace {

/// Standard streams, output file, signals, sysfs: what a run opens besides its jobs' files.
constexpr std::uint64_t kOwnDescriptors = 32;
/// A ring, or what else an engine holds open.
constexpr std::uint64_t kOfEngine = 1;

/// Of one worker.
std::uint64_t descriptors(const EngineInfo& engine, std::uint64_t files) noexcept {
  const bool opens = !has_flag(engine, kDiskless) && !has_flag(engine, kWholeFiles);
  return kOfEngine + (opens ? files : 0);
}

std::uint64_t most_descriptors() noexcept {
  // The hard limit: the run raises the soft one to it.
  rlimit limit = {};
  const bool told = ::getrlimit(RLIMIT_NOFILE, &limit) == 0;
  return told ? limit.rlim_max : std::numeric_limits<std::uint64_t>::max();
}

}  // namespace

bool Planner::fits_descriptors(const jobs::JobSpec& spec, std::uint64_t needed) {
  const std::uint64_t most = most_descriptors();
  if (needed <= most) return true;
  error(spec, "nrfiles",
        fmt::format("the jobs that run together hold {} descriptors open, more than the {} that "
                    "RLIMIT_NOFILE allows; raise it (ulimit -Hn), or use fewer files or jobs",
                    needed, most));
  return false;
}

bool Planner::fits_generated_files(const jobs::JobSpec& spec, const EngineInfo& engine) {
  const jobs::Job& job = spec.job;
  return !job.filename.empty() ||
         fits_descriptors(spec, kOwnDescriptors + job.numjobs * descriptors(engine, job.nrfiles));
}

void Planner::check_descriptors() {
  for (const Stage& stage : plan_.stages) {
    if (stage.workers.empty()) continue;
    std::uint64_t needed = kOwnDescriptors;
    for (const WorkerPlan& worker : stage.workers)
      needed += descriptors(*worker.engine, worker.files.size());
    // The job to begin with: one message, where most is to be gained.
    const auto most = std::max_element(
        stage.workers.begin(), stage.workers.end(),
        [](const WorkerPlan& a, const WorkerPlan& b) { return a.files.size() < b.files.size(); });
    if (!fits_descriptors(plan_.jobs[most->job].spec, needed)) return;
  }
}

}  // namespace chronio::runner

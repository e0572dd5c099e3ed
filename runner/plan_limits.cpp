// plan_limits.cpp: what a plan needs of the process, held against its limits.
#include "runner/planner.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <sys/resource.h>

namespace chronio::runner {
namespace {

/// Standard streams, output file, signals, sysfs: what a run opens besides its jobs' files.
constexpr std::uint64_t kOwnDescriptors = 32;
/// A ring, or what else an engine holds open.
constexpr std::uint64_t kOfEngine = 1;

std::uint64_t descriptors(const WorkerPlan& worker) noexcept {
  const bool opens = !has_flag(*worker.engine, kDiskless) && !has_flag(*worker.engine, kWholeFiles);
  return kOfEngine + (opens ? worker.files.size() : 0);
}

}  // namespace

void Planner::check_descriptors() {
  // The hard limit: the run raises the soft one to it.
  rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  for (const Stage& stage : plan_.stages) {
    std::uint64_t needed = kOwnDescriptors;
    for (const WorkerPlan& worker : stage.workers) needed += descriptors(worker);
    if (needed <= limit.rlim_max) continue;
    // The job to begin with: one message, where most is to be gained.
    const auto most = std::max_element(
        stage.workers.begin(), stage.workers.end(),
        [](const WorkerPlan& a, const WorkerPlan& b) { return a.files.size() < b.files.size(); });
    error(plan_.jobs[most->job].spec, "nrfiles",
          fmt::format("the jobs that run together hold {} descriptors open, more than the {} that "
                      "RLIMIT_NOFILE allows; raise it (ulimit -Hn), or use fewer files or jobs",
                      needed, limit.rlim_max));
    return;
  }
}

}  // namespace chronio::runner

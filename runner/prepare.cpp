// prepare.cpp: layout, preallocation, caches, holes; and unlink at the end.
#include "runner/prepare.hpp"

#include "target/layout.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fmt/format.h>
#include <set>
#include <unistd.h>

namespace chronio::runner {
namespace {

/// One file of one worker.
struct Use {
  const WorkerPlan* worker;
  std::size_t file;  ///< index into its files
};

/// Who uses each target, by its index.
std::vector<std::vector<Use>> uses_of(const Plan& plan) {
  std::vector<std::vector<Use>> uses(plan.targets.size());
  for (const Stage& stage : plan.stages)
    for (const WorkerPlan& worker : stage.workers)
      for (std::size_t i = 0; i < worker.files.size(); ++i)
        uses[worker.files[i].target].push_back({&worker, i});
  return uses;
}

/// What was done to a job's files, as notes of the job: a few in full, then their number.
class FileNotes {
 public:
  explicit FileNotes(Plan& plan) : plan_(plan), uses_(uses_of(plan)), told_(plan.jobs.size()) {}

  [[nodiscard]] const std::vector<Use>& uses(std::uint32_t target) const { return uses_[target]; }

  /// Tells each job that uses the target once.
  void add(std::uint32_t target, const std::string& note) {
    std::set<std::uint32_t> jobs;
    for (const Use& use : uses_[target]) jobs.insert(use.worker->job);
    for (const std::uint32_t job : jobs)
      if (++told_[job] <= kMost) plan_.jobs[job].notes.push_back(note);
  }

  void finish() {
    for (std::size_t job = 0; job < told_.size(); ++job)
      if (told_[job] > kMost)
        plan_.jobs[job].notes.push_back(
            fmt::format("{} further notes of the same kinds, on other files", told_[job] - kMost));
  }

 private:
  static constexpr std::size_t kMost = 8;
  Plan& plan_;
  std::vector<std::vector<Use>> uses_;
  std::vector<std::size_t> told_;  // notes by job
};

/// False when a signal came before the end; the file is as it was then.
bool write_out(const PlannedTarget& target, Signals& signals, Observer& observer) {
  std::atomic<bool> stop{false};
  Progress progress;
  progress.phase = Phase::layout;
  progress.jobs = target.target.path;
  try {
    target::lay_out(target.target.path, target.lay_out, stop, [&](std::uint64_t bytes) {
      progress.done = static_cast<double>(bytes) / static_cast<double>(target.lay_out);
      observer.progress(progress);
      signals.take();
      if (signals.count() != 0) stop.store(true);
    });
  } catch (const target::Error& error) {
    if (error.code != EINTR || signals.count() == 0) throw;
    observer.group_done();
    return false;
  }
  observer.group_done();
  return true;
}

void lay_out(Plan& plan, std::uint32_t index, FileNotes& notes, Signals& signals,
             Observer& observer) {
  const PlannedTarget& target = plan.targets[index];
  if (!write_out(target, signals, observer)) return;
  notes.add(index,
            target.target.kind == target::Kind::absent
                ? fmt::format("{} was laid out with {} bytes", target.target.path, target.lay_out)
                : fmt::format("{} was extended from {} to {} bytes", target.target.path,
                              target.target.bytes, target.lay_out));
}

/// Bytes that a worker reads of a file although they were never written.
std::uint64_t unwritten(const std::string& path, const Use& use) {
  const WorkerPlan& worker = *use.worker;
  if (!jobs::reads(worker.pattern.rw) || has_flag(*worker.engine, kNoData)) return 0;
  const workload::Range& range = worker.pattern.files[use.file];
  return target::unwritten_bytes(path, range.offset, range.bytes);
}

/// Reads of holes never reach the device: the figures would be those of the file system.
void look_for_holes(const Plan& plan, std::uint32_t index, FileNotes& notes) {
  const std::string& path = plan.targets[index].target.path;
  std::uint64_t bytes = 0;
  for (const Use& use : notes.uses(index)) bytes = std::max(bytes, unwritten(path, use));
  if (bytes != 0)
    notes.add(index, fmt::format("{}: {} bytes are holes or unwritten: reads of them never reach "
                                 "the device",
                                 path, bytes));
}

void prepare(Plan& plan, std::uint32_t index, FileNotes& notes, Signals& signals,
             Observer& observer) {
  const PlannedTarget& planned = plan.targets[index];
  if (planned.diskless) return;
  if (planned.lay_out != 0)
    lay_out(plan, index, notes, signals, observer);
  else if (planned.preallocate != 0)
    target::preallocate(planned.target.path, planned.preallocate);
  if (signals.count() != 0) return;
  const target::Target now = target::inspect(planned.target.path);
  if (now.kind == target::Kind::file) look_for_holes(plan, index, notes);
}

}  // namespace

void prepare_targets(Plan& plan, Signals& signals, Observer& observer) {
  FileNotes notes(plan);
  for (std::uint32_t i = 0; i < plan.targets.size() && signals.count() == 0; ++i)
    prepare(plan, i, notes, signals, observer);
  notes.finish();
}

std::vector<std::string> unlink_targets(const Plan& plan) {
  std::vector<std::string> failures;
  for (const PlannedTarget& planned : plan.targets) {
    const std::string& path = planned.target.path;
    if (!planned.unlink || planned.diskless) continue;
    if (target::inspect(path).kind != target::Kind::file) continue;
    if (::unlink(path.c_str()) != 0)
      failures.push_back(fmt::format("unlink: {}: {}", path, describe_result(-errno)));
  }
  return failures;
}

}  // namespace chronio::runner

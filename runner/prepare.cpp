// prepare.cpp: layout, preallocation, caches, holes; and unlink at the end.
#include "runner/prepare.hpp"

#include "target/layout.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fmt/format.h>
#include <unistd.h>

namespace chronio::runner {
namespace {

/// Adds `note` to every job that uses target `index`, once.
void note_to_users(Plan& plan, std::uint32_t index, const std::string& note) {
  for (const Stage& stage : plan.stages)
    for (const WorkerPlan& worker : stage.workers) {
      std::vector<std::string>& notes = plan.jobs[worker.job].notes;
      const bool uses = std::any_of(worker.files.begin(), worker.files.end(),
                                    [&](const PlannedFile& file) { return file.target == index; });
      if (uses && std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
    }
}

void lay_out(Plan& plan, std::uint32_t index, Signals& signals, Observer& observer) {
  PlannedTarget& target = plan.targets[index];
  std::atomic<bool> stop{false};
  Progress progress;
  progress.phase = Phase::layout;
  progress.jobs = target.target.path;
  target::lay_out(target.target.path, target.lay_out, stop, [&](std::uint64_t bytes) {
    progress.done = static_cast<double>(bytes) / static_cast<double>(target.lay_out);
    observer.progress(progress);
    signals.take();
    if (signals.count() != 0) stop.store(true);
  });
  observer.group_done();
  note_to_users(
      plan, index,
      target.target.kind == target::Kind::absent
          ? fmt::format("{} was laid out with {} bytes", target.target.path, target.lay_out)
          : fmt::format("{} was extended from {} to {} bytes", target.target.path,
                        target.target.bytes, target.lay_out));
}

/// Bytes of target `index` that `worker` reads although they were never written.
std::uint64_t unwritten(const Plan& plan, const WorkerPlan& worker, std::uint32_t index) {
  std::uint64_t bytes = 0;
  if (!jobs::reads(worker.pattern.rw) || has_flag(*worker.engine, kNoData)) return bytes;
  for (std::size_t i = 0; i < worker.files.size(); ++i) {
    const workload::Range& range = worker.pattern.files[i];
    if (worker.files[i].target == index)
      bytes += target::unwritten_bytes(plan.targets[index].target.path, range.offset, range.bytes);
  }
  return bytes;
}

/// Reads of holes never reach the device: the figures would be those of the file system.
void look_for_holes(Plan& plan, std::uint32_t index) {
  std::uint64_t bytes = 0;
  for (const Stage& stage : plan.stages)
    for (const WorkerPlan& worker : stage.workers)
      bytes = std::max(bytes, unwritten(plan, worker, index));
  if (bytes != 0)
    note_to_users(
        plan, index,
        fmt::format("{}: {} bytes are holes or unwritten: reads of them never reach the device",
                    plan.targets[index].target.path, bytes));
}

void prepare(Plan& plan, std::uint32_t index, Signals& signals, Observer& observer) {
  const PlannedTarget& planned = plan.targets[index];
  if (planned.diskless) return;
  if (planned.lay_out != 0)
    lay_out(plan, index, signals, observer);
  else if (planned.preallocate != 0)
    target::preallocate(planned.target.path, planned.preallocate);
  if (signals.count() != 0) return;
  const target::Target now = target::inspect(planned.target.path);
  if (now.kind == target::Kind::file) look_for_holes(plan, index);
}

}  // namespace

void prepare_targets(Plan& plan, Signals& signals, Observer& observer) {
  for (std::uint32_t i = 0; i < plan.targets.size() && signals.count() == 0; ++i)
    prepare(plan, i, signals, observer);
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

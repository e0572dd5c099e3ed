// prepare.cpp: layout, preallocation, caches, holes; and unlink at the end.
#include "runner/prepare.hpp"

#include "target/layout.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fmt/format.h>
#include <map>
#include <set>
#include <sys/stat.h>
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
bool write_out(const PlannedTarget& target, const target::Target& seen, Signals& signals,
               Observer& observer) {
  std::atomic<bool> stop{false};
  Progress progress;
  progress.phase = Phase::layout;
  progress.jobs = target.target.path;
  try {
    target::lay_out(seen, target.lay_out, stop, [&](std::uint64_t bytes) {
      progress.done = static_cast<double>(bytes) / static_cast<double>(target.lay_out);
      observer.progress(progress);
      signals.take();
      if (signals.count() != 0) stop.store(true);
    });
  } catch (const target::Error& error) {
    // EINTR is lay_out()'s word for the stop that was asked of it: the run ends with a result, not
    // with an error.
    if (error.code != EINTR || signals.count() == 0) throw;
    observer.group_done();
    return false;
  }
  observer.group_done();
  return true;
}

/// Bytes that a worker reads of a file although they were never written.
std::uint64_t unwritten(const std::string& path, const Use& use) {
  const WorkerPlan& worker = *use.worker;
  // What moves no data does not care what is there.
  if (!jobs::reads(worker.pattern.rw) || has_flag(*worker.engine, kNoData)) return 0;
  const workload::Range& range = worker.pattern.files[use.file];
  return target::unwritten_bytes(path, range.offset, range.bytes);
}

/// Reads of holes never reach the device: the figures would be those of the file system.
void look_for_holes(const Plan& plan, std::uint32_t index, FileNotes& notes) {
  const std::string& path = plan.targets[index].target.path;
  std::uint64_t bytes = 0;
  // The worst of its users: one sentence for each file, not one for each worker.
  for (const Use& use : notes.uses(index)) bytes = std::max(bytes, unwritten(path, use));
  if (bytes != 0)
    notes.add(index, fmt::format("{}: {} bytes are holes or unwritten: reads of them never reach "
                                 "the device",
                                 path, bytes));
}

using File = std::pair<std::uint64_t, std::uint64_t>;  // device and inode

File file_of(const target::Target& target) { return {target.device, target.inode}; }

/// Makes each target what its jobs need, and remembers which files the run itself made.
class Preparation {
 public:
  Preparation(Plan& plan, Signals& signals, Observer& observer)
      : plan_(plan), signals_(signals), observer_(observer), notes_(plan) {}

  void run() {
    for (std::uint32_t i = 0; i < plan_.targets.size(); ++i) {
      // Here, too: where files are preallocated or only looked at, no layout takes signals.
      signals_.take();
      if (signals_.count() != 0) break;
      prepare(i);
    }
    notes_.finish();
  }

 private:
  void prepare(std::uint32_t index) {
    PlannedTarget& planned = plan_.targets[index];
    if (planned.diskless) return;
    target::Target now = seen_again(planned);
    // Before anything is done: it decides whether the run made the file.
    const bool absent = now.kind == target::Kind::absent;
    if (planned.lay_out != 0)
      lay_out(index, now);
    else if (planned.preallocate != 0)
      target::preallocate(now, planned.preallocate);
    if (signals_.count() != 0) return;
    // Size and inode are new, and the workers compare with what is kept here.
    if (planned.lay_out != 0 || planned.preallocate != 0) now = target::inspect(now.path);
    planned.ready = now;
    if (now.kind != target::Kind::file) return;
    // By device and inode: two paths may lead to one file, and then both are the run's own.
    if (absent) made_.insert(file_of(now));
    planned.made = made_.contains(file_of(now));
    look_for_holes(plan_, index, notes_);
  }

  /// What stands at a path that is about to be prepared. Throws Error where that is something else
  /// than what the plan saw, or than what this run made by another name.
  [[nodiscard]] target::Target seen_again(const PlannedTarget& planned) const {
    target::Target now = target::inspect(planned.target.path);
    // What the run made by another of its names is rightly not what the plan saw.
    const bool ours = now.kind == target::Kind::file && made_.contains(file_of(now));
    if (!ours && !same(planned.target, now))
      throw target::Error(0, fmt::format("{}: is no longer what was checked; nothing was changed",
                                         planned.target.path));
    return now;
  }

  void lay_out(std::uint32_t index, const target::Target& seen) {
    const std::uint64_t bytes = plan_.targets[index].lay_out;
    if (!write_out(plan_.targets[index], seen, signals_, observer_)) return;
    notes_.add(index, seen.kind == target::Kind::absent
                          ? fmt::format("{} was laid out with {} bytes", seen.path, bytes)
                          : fmt::format("{} was extended from {} to {} bytes", seen.path,
                                        seen.bytes, bytes));
  }

  Plan& plan_;
  Signals& signals_;
  Observer& observer_;
  FileNotes notes_;
  std::set<File> made_;
};

/// Also a link that leads nowhere, through which open(2) would create a file elsewhere.
bool is_there(const std::string& path) {
  struct stat found = {};
  return ::lstat(path.c_str(), &found) == 0;
}

bool was_absent(const PlannedTarget& planned) {
  return planned.ready && planned.ready->kind == target::Kind::absent;
}

/// Whether it is a file of this run by another of its names.
bool is_known(const Plan& plan, const target::Target& now) {
  return now.kind == target::Kind::file &&
         std::any_of(plan.targets.begin(), plan.targets.end(), [&](const PlannedTarget& other) {
           return other.ready && same(*other.ready, now);
         });
}

/// What appeared where nothing was.
void bar_intruder(const Plan& plan, PlannedTarget& planned) {
  const std::string& path = planned.target.path;
  if (!was_absent(planned) || !is_there(path)) return;
  target::Target now = target::inspect(path);
  if (is_known(plan, now))
    planned.ready = std::move(now);
  else
    planned.barred = fmt::format(
        "{}: nothing was there before the run, and this run did not make it; it was not touched",
        path);
}

}  // namespace

void prepare_targets(Plan& plan, Signals& signals, Observer& observer) {
  Preparation(plan, signals, observer).run();
}

void claim_devices(const Plan& plan, target::Claims& claims) {
  // The kernel refuses a discard of dirty pages while another descriptor has the device to itself
  // (EBUSY, Linux 6.18): such a device is asked about again, and not held.
  for (const PlannedTarget& planned : plan.targets)
    if (planned.written && !planned.diskless)
      claims.add(planned.target, plan.policy, !planned.trims_cached);
}

void bar_targets(Plan& plan, const Stage& stage, const target::Claims& claims) {
  // Each once, and whether a worker writes it: thousands may share a device, which is slow to ask
  // about.
  std::map<std::uint32_t, bool> targets;
  for (const WorkerPlan& worker : stage.workers)
    for (const PlannedFile& file : worker.files)
      targets[file.target] |= worker.access != Access::read_only;
  for (const auto& [target, is_written] : targets) {
    PlannedTarget& planned = plan.targets[target];
    if (is_written && planned.ready) planned.barred = claims.why_lost(*planned.ready).value_or("");
    bar_intruder(plan, planned);
  }
}

void adopt_files(Plan& plan, const WorkerPlan& work) {
  for (const PlannedFile& file : work.files) {
    PlannedTarget& planned = plan.targets[file.target];
    if (was_absent(planned)) planned.ready = target::inspect(planned.target.path);
  }
}

std::vector<std::string> unlink_targets(const Plan& plan) {
  std::vector<std::string> failures;
  for (const PlannedTarget& planned : plan.targets) {
    const std::string& path = planned.target.path;
    if (!planned.unlink || !planned.ready) continue;  // what was not prepared was not used
    const target::Target now = target::inspect(path);
    // Never a device's node.
    if (now.kind != target::Kind::file) continue;
    if (!same(*planned.ready, now)) {
      failures.push_back(fmt::format("unlink: {}: is not the file that was used or made", path));
      continue;
    }
    if (::unlink(path.c_str()) != 0)
      failures.push_back(fmt::format("unlink: {}: {}", path, describe_result(-errno)));
  }
  return failures;
}

}  // namespace chronio::runner

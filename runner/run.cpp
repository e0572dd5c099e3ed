// run.cpp: stage after stage; workers' results to jobs and groups.
#include "runner/run.hpp"

#include "clock/certify.hpp"
#include "runner/coordinator.hpp"
#include "runner/doubts.hpp"
#include "runner/prepare.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <sys/resource.h>
#include <utility>

namespace chronio::runner {
namespace {

/// One stage while it runs and until its result has been taken.
struct StageRun {
  std::unique_ptr<Gate> gate;  // before those that wait at it, so that it outlives them
  std::vector<std::unique_ptr<Worker>> workers;
  std::vector<Series> series;
  bool finished = true;
};

/// The usual soft limit is soon reached, by files and by the descriptors that events are counted
/// with. The plan has held the files against the hard one.
void raise_descriptor_limit() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  // A failure shows where a descriptor is missing, with words for it.
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

StageRun run_stage(const Plan& plan, const Stage& stage, clock::Timebase& timebase,
                   Signals& signals, Observer& observer) {
  StageRun run;
  run.gate = std::make_unique<Gate>();
  for (const WorkerPlan& work : stage.workers)
    run.workers.push_back(std::make_unique<Worker>(plan, work, timebase, *run.gate));
  Coordinator coordinator(run.workers, *run.gate, timebase, signals, observer);
  run.finished = coordinator.run();
  // Copied: the coordinator ends here, and results are made when all stages have run.
  for (std::size_t i = 0; i < run.workers.size(); ++i) run.series.push_back(coordinator.series(i));
  return run;
}

const char* kind_name(target::Kind kind) {
  switch (kind) {
    case target::Kind::file: return "file";
    case target::Kind::block: return "block";
    case target::Kind::character: return "char";
    default: return "other";
  }
}

/// Disks by kind and device number: thousands of files stand on a few, and sysfs is slow to ask.
using Disks = std::map<std::pair<bool, std::uint64_t>, target::DeviceInfo>;

results::TargetInfo info_of(const PlannedTarget& planned, Disks& disks) {
  results::TargetInfo info;
  info.path = planned.target.path;
  info.type = "none";
  if (planned.diskless) return info;
  // Looked at after the run, when files that it made are as they are.
  const target::Target now = target::inspect(planned.target.path);
  const auto [known, added] = disks.try_emplace({now.kind == target::Kind::character, now.device});
  if (added) known->second = target::device_info(now);
  const target::DeviceInfo& device = known->second;
  info.type = kind_name(now.kind);
  info.file_system = now.file_system;
  info.device = device.name;
  info.model = device.model;
  info.firmware = device.firmware;
  info.serial = device.serial;
  info.scheduler = device.scheduler;
  const bool engine_told = now.kind == target::Kind::character;  // stat(2) knows nothing of it
  info.bytes = engine_told ? planned.target.bytes : now.bytes;
  info.logical_block = engine_told ? planned.target.logical_block : now.logical_block;
  return info;
}

void add_targets(const Plan& plan, const WorkerPlan& work, Disks& disks, results::Job& job) {
  for (const PlannedFile& file : work.files)
    job.targets.push_back(info_of(plan.targets[file.target], disks));
}

results::Job job_of(const Plan& plan, const StageRun& stage, std::size_t index, double hz,
                    Disks& disks) {
  const Worker& worker = *stage.workers[index];
  results::Job job = worker.result(hz, stage.finished);
  add_targets(plan, worker.plan(), disks, job);
  Series series = stage.series[index];
  Totals totals;
  for (std::size_t i = 0; i < results::kDirections; ++i) {
    totals.ios[i] = job.directions[i].total_ios;
    totals.bytes[i] = job.directions[i].io_bytes;
  }
  // By the result's own run time and counts, so that the intervals add up to them exactly.
  series.close(job.runtime_ns, totals);
  job.intervals = series.intervals();
  // Of the single worker, before it is merged: a group's mean would hide one that never reached its
  // depth.
  const auto doubts = doubts_of(job, asks_to_poll(worker.job()));
  job.notes.insert(job.notes.end(), doubts.begin(), doubts.end());
  return job;
}

void add_jobs(const Plan& plan, const StageRun& stage, double hz, Disks& disks, results::Run& run) {
  for (std::size_t i = 0; i < stage.workers.size(); ++i) {
    results::Job job = job_of(plan, stage, i, hz, disks);
    // A group's jobs follow each other, so its entry is the last one.
    const bool merges = stage.workers[i]->job().spec.job.group_reporting && !run.jobs.empty() &&
                        run.jobs.back().groupid == job.groupid;
    if (merges)
      results::merge(run.jobs.back(), job);
    else
      run.jobs.push_back(std::move(job));
  }
}

std::uint64_t unix_ms() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(
                                        std::chrono::system_clock::now().time_since_epoch())
                                        .count());
}

/// What the jobs met of the clock's faults: the last evidence for or against it.
void certify_clock(const std::vector<results::Job>& jobs, clock::Certificate& certificate) {
  std::uint64_t negative = 0;
  std::optional<std::uint64_t> migrated;
  for (const results::Job& job : jobs) {
    negative += job.negative_deltas;
    if (job.migrated_ios) migrated = migrated.value_or(0) + *job.migrated_ios;
  }
  clock::certify_jobs(migrated, negative, certificate);
}

/// The clock is looked at again after every job; finish() does it after the last.
void check_clock(const Plan& plan, std::size_t stage, clock::Timebase& timebase) {
  if (stage + 1 == plan.stages.size()) return;
  const WorkerPlan& last = plan.stages[stage].workers.back();
  timebase.check("after job " + plan.jobs[last.job].spec.job.name);
}

/// Threads still use these, and still write to what is claimed: all live until the process ends.
void keep_for_ever(std::vector<StageRun>& stages, std::unique_ptr<target::Claims> claims) {
  static_cast<void>(claims.release());
  for (StageRun& stage : stages) {
    for (auto& worker : stage.workers) static_cast<void>(worker.release());
    static_cast<void>(stage.gate.release());
  }
}

/// Of a stage that has ended.
void adopt_made_files(Plan& plan, const StageRun& stage) {
  for (const auto& worker : stage.workers)
    if (worker->made_its_files()) adopt_files(plan, worker->plan());
}

/// Whether all was done, and if not, why. True: a job has failed.
bool tell_end(const Signals& signals, results::Run& run) {
  const bool failed = std::any_of(run.jobs.begin(), run.jobs.end(),
                                  [](const results::Job& job) { return job.error != 0; });
  run.complete = signals.count() == 0 && !failed;
  if (signals.count() != 0)
    run.stopped_by = signals.first();
  else
    run.stopped_by = failed ? "I/O error" : "";
  return failed;
}

}  // namespace

Outcome run(Plan& plan, clock::Timebase& timebase, Signals& signals, Observer& observer) {
  Outcome outcome;
  raise_descriptor_limit();
  // Devices before files: nothing is laid out for a run that is refused in the end. Held until the
  // last worker has ended.
  auto claims = std::make_unique<target::Claims>();
  claim_devices(plan, *claims);
  prepare_targets(plan, signals, observer);
  // What was prepared took the time that the first fit needs; now it waits for the rest of it.
  timebase.calibrated();
  std::vector<StageRun> stages;
  for (std::size_t i = 0; i < plan.stages.size() && signals.count() == 0; ++i) {
    bar_targets(plan, plan.stages[i], *claims);
    stages.push_back(run_stage(plan, plan.stages[i], timebase, signals, observer));
    // Whose threads may still run, nothing more is asked of, nor done with their files.
    if (!stages.back().finished) break;
    adopt_made_files(plan, stages.back());
    if (signals.count() == 0) check_clock(plan, i, timebase);  // else finish() comes at once
  }
  timebase.finish();
  results::Run& run = outcome.run;
  Disks disks;
  for (const StageRun& stage : stages) {
    // After finish(): run times by the rate of the whole run.
    add_jobs(plan, stage, timebase.certificate().hz, disks, run);
    outcome.abandoned = outcome.abandoned || !stage.finished;
  }
  run.timestamp_ms = unix_ms();
  certify_clock(run.jobs, timebase.certificate());
  run.clock = timebase.certificate();
  outcome.failed = tell_end(signals, run);
  if (outcome.abandoned)
    // Nothing is unlinked either: threads still write to the files.
    keep_for_ever(stages, std::move(claims));
  else
    run.notes = unlink_targets(plan);
  return outcome;
}

}  // namespace chronio::runner

// plan.hpp: jobs to plain worker plans. Everything that can be checked before the first I/O is
// checked here, and all mistakes are told in one go.
#pragma once

#include "engines/registry.hpp"
#include "jobs/diagnostic.hpp"
#include "jobs/options.hpp"
#include "pmu/request.hpp"
#include "target/guard.hpp"
#include "target/target.hpp"
#include "workload/pattern.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chronio::runner {

/// What the command line asks of the whole run, and no job file can.
struct RunOptions {
  target::Policy policy;
  std::uint32_t max_jobs = 4096;  ///< most workers in all
};

/// A file or device of a worker, by its number in Plan::targets: workers that use the same path
/// share the target.
struct PlannedFile {
  std::uint32_t target = 0;
  /// Size that the engine is told: from 0 to the end of what the job works in.
  std::uint64_t bytes = 0;
};

/// An engine option's value, kept by the plan so that OptionValue can point into it.
struct EngineOption {
  std::string name;
  std::string text;
  std::int64_t number = 0;
};

/// One thread's work. Plain data; nothing is looked up after this, so a worker can't meet a mistake
/// that could have been told before the first I/O.
struct WorkerPlan {
  std::uint32_t job = 0;    ///< index into Plan::jobs
  std::uint32_t clone = 0;  ///< below numjobs
  const EngineInfo* engine = nullptr;
  /// In the order of pattern.files, which has the range of each; at least one.
  std::vector<PlannedFile> files;
  Access access = Access::read_only;
  workload::PatternSpec pattern;
  std::uint64_t io_limit = 0;    ///< bytes to transfer; 0: no limit
  std::uint64_t pass_bytes = 0;  ///< caches are dropped whenever so many were issued; 0: not again
  bool background = false;       ///< has no end of its own: ends with the others of its stage
  std::uint32_t iodepth = 1;     ///< 1 for synchronous engines
  /// Bytes, a power of two: what the strictest target's direct I/O wants, and a page at least.
  std::uint32_t buf_align = 4096;
  /// Bytes from one slot's buffer to the next: the largest block, rounded up to buf_align.
  std::uint32_t buf_stride = 4096;
};

/// Whether the engine has `flag` of engines/engine.hpp.
[[nodiscard]] inline bool has_flag(const EngineInfo& engine, std::uint32_t flag) noexcept {
  return (engine.flags & flag) != 0;
}

/// One job of the file or command line, with what all its clones share.
struct PlannedJob {
  jobs::JobSpec spec;
  std::uint32_t group = 0;                   ///< reporting group
  std::vector<EngineOption> engine_options;  ///< in the engine's order
  pmu::Request pmu;                          ///< what to count; the seed is the worker's
  std::vector<std::string> notes;            ///< become Job::notes of the result
};

/// A target, and what has to be done to it before the run: for all jobs that use it together, so of
/// two sizes the larger one counts.
struct PlannedTarget {
  target::Target target;
  std::uint64_t lay_out = 0;          ///< bytes it must hold; 0: nothing to do
  std::uint64_t preallocate = 0;      ///< bytes that writers will fill; 0: nothing to do
  bool diskless = false;              ///< a name only: the engine needs no file
  const EngineInfo* asked = nullptr;  ///< the engine that was asked for the geometry last
  std::uint32_t metadata_bytes = 0;   ///< as it answered: of each logical block
  std::uint32_t max_transfer = 0;     ///< as it answered: bytes; 0: no limit known
  bool written = false;
  bool trims_cached = false;  ///< a job trims it through the page cache
  bool unlink = false;
  bool invalidate = false;
  /// What stands there when all was prepared, or when an engine had made it: no other is opened.
  /// Nothing of what is diskless, and of what a signal came before.
  std::optional<target::Target> ready;
  std::string barred;  ///< why it may not be used any more; empty: it may
  bool made = false;   ///< the run itself made it: nobody else's data can be in it
};

/// Workers between two stonewalls: they run together.
struct Stage {
  std::vector<WorkerPlan> workers;
};

/// A whole run, checked. Outlives its workers, which hold references into it; prepare_targets()
/// alone changes it after make_plan().
struct Plan {
  std::vector<PlannedJob> jobs;
  std::vector<PlannedTarget> targets;
  /// In the order of the job files; none is empty but after mistakes.
  std::vector<Stage> stages;
  target::Policy policy;
  /// The last one that a job asked for: there is one clock for the whole run.
  jobs::ClockSource clocksource = jobs::ClockSource::automatic;
  std::vector<jobs::Diagnostic> diagnostics;  ///< with errors, nothing may run
};

/// The engine's option of that name, with its effective value; null when it has none.
[[nodiscard]] const EngineOption* option_of(const PlannedJob& planned, std::string_view name);

/// The engine works on a ring of io_uring. By an option that no other has, so that it holds for
/// plugins that declare it, too.
[[nodiscard]] bool is_on_ring(const PlannedJob& planned);

/// The last setting of `key`, which is the one that counts; null when it was not set. Lives as long
/// as `settings`.
[[nodiscard]] const jobs::Setting* last_setting(const std::vector<jobs::Setting>& settings,
                                                std::string_view key) noexcept;

/// Where a setting was made, for people: "default" (null), "FILE:LINE" or "command line".
[[nodiscard]] std::string origin_of(const jobs::Setting* setting);

/// Checks and plans `specs`. Looks at targets, opens none for writing; asks engines for geometry.
/// Mistakes are in Plan::diagnostics, all of them.
[[nodiscard]] Plan make_plan(std::vector<jobs::JobSpec> specs, const RunOptions& options);

/// Only the keys that neither the tables nor the jobs' engines know, and engines that can't be had:
/// for jobs that have other mistakes, so that all are told in one go.
[[nodiscard]] std::vector<jobs::Diagnostic> unknown_options(
    const std::vector<jobs::JobSpec>& specs);

/// Paths of all targets that the plan touches: a result file must be none of them.
[[nodiscard]] std::vector<std::string> target_paths(const Plan& plan);

}  // namespace chronio::runner

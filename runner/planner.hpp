// planner.hpp: the state of make_plan() while it works, shared by the files plan*.cpp; for nobody
// else.
#pragma once

#include "runner/plan.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chronio::runner {

/// The part of one file that a job works in, before blocks are counted.
struct Extent {
  std::uint64_t offset = 0;  ///< bytes
  std::uint64_t bytes = 0;
};

/// Plans one job after the other into `plan`. Mistakes become diagnostics with the place where the
/// key was set; a job with an error is left out, and the next one is looked at all the same.
class Planner {
 public:
  Planner(Plan& plan, const RunOptions& options) : plan_(plan), options_(options) {}

  /// In the order of the job files: stonewalls and groups depend on what came before.
  void add_job(jobs::JobSpec spec);
  /// After the last job: no more files may be open at once than the process may open.
  void check_descriptors();
  /// Warns of stages in which no job has an end.
  void check_ends();

 private:
  // plan.cpp
  /// Warns of percentiles of a latency that the job leaves unmeasured.
  void check_latencies(PlannedJob& planned);
  /// The workers of a job, in one stage; none of them after the first mistake.
  void add_clones(std::uint32_t job, const EngineInfo& engine);
  void place_in_stage(const jobs::Job& job, std::vector<WorkerPlan> workers);
  /// Without files where something is wrong: the mistake is among the diagnostics then.
  [[nodiscard]] WorkerPlan worker(std::uint32_t job, std::uint32_t clone, const EngineInfo& engine);
  /// Bytes to transfer where size= stands beside filesize=.
  std::uint64_t bytes_in_all(const PlannedJob& planned, const WorkerPlan& worker,
                             std::uint64_t size);
  /// Buffers, amounts and passes. REQUIRES: the worker has files.
  void set_limits(const PlannedJob& planned, WorkerPlan& worker);

  // plan_engine.cpp
  /// Null: there is none of that name, which is a diagnostic.
  [[nodiscard]] const EngineInfo* find_job_engine(const jobs::JobSpec& spec);
  /// Values of all options that the engine declares; an unknown key is a diagnostic.
  void read_engine_options(PlannedJob& planned, const EngineInfo& engine);
  /// What iodepth and the batch sizes come to with this engine, and whether memory holds the
  /// buffers.
  void check_depth(PlannedJob& planned, const EngineInfo& engine);
  /// Of engines on an io_uring ring: what every kernel answers with a bare EINVAL.
  void check_ring(const PlannedJob& planned);
  // plan_abilities.cpp
  /// Of engines that make one request for each file: what they can't do with it.
  void check_whole_files(const PlannedJob& planned, const EngineInfo& engine);
  /// What rw= and the engine's flags do not have in common, before any target is looked at.
  void check_direction(const PlannedJob& planned, const EngineInfo& engine);
  // plan_engine.cpp
  /// CPUs that this process may not use: pinning would fail, or leave some of them out unseen.
  void check_cpus(const PlannedJob& planned);

  // plan_limits.cpp
  /// Whether the process may hold `needed` descriptors open; if not, that is a diagnostic.
  bool fits_descriptors(const jobs::JobSpec& spec, std::uint64_t needed);
  /// The same of the job alone, before millions of generated names are looked at.
  bool fits_generated_files(const jobs::JobSpec& spec, const EngineInfo& engine);

  // plan_pmu.cpp
  /// Names of events to events. What this machine counts is found out by the worker itself.
  void read_pmu(PlannedJob& planned);

  // plan_targets.cpp
  /// The worker's files in their order, those left out that have a mistake.
  void add_files(const PlannedJob& planned, WorkerPlan& worker);
  void add_file(const PlannedJob& planned, const std::string& path, std::size_t files,
                WorkerPlan& worker);
  /// Number of the path in Plan::targets: each is looked at once, when first named.
  [[nodiscard]] std::uint32_t target_of(const std::string& path, bool diskless);
  /// False: the target can't be used at all, which is a diagnostic.
  [[nodiscard]] bool usable(const PlannedJob& planned, const PlannedTarget& target,
                            const EngineInfo& engine);
  /// The diagnostic where neither size= nor the target says how much there is.
  void tell_no_size(const PlannedJob& planned, const PlannedTarget& target);
  /// The part that the job works in, of one of `files` files; nothing: a diagnostic.
  [[nodiscard]] std::optional<Extent> extent(const PlannedJob& planned, const PlannedTarget& target,
                                             std::size_t files);
  /// Whether the extent lies in the target, or a file can be made to hold it: then the target is
  /// marked for layout or preallocation.
  [[nodiscard]] bool fits(const PlannedJob& planned, PlannedTarget& target, const Extent& extent,
                          const EngineInfo& engine);
  /// Of engines that have one request for each file: a range of one block stands for it.
  void add_whole_file(const PlannedJob& planned, std::uint32_t index, std::size_t files,
                      WorkerPlan& worker);

  // plan_abilities.cpp
  /// Has the engine itself tell the target's size and limits, where it can. False: it refuses.
  [[nodiscard]] bool ask_engine(const PlannedJob& planned, PlannedTarget& target,
                                const EngineInfo& engine);
  /// Holds block size and metadata against what the engine told of the target.
  [[nodiscard]] bool fits_device(const PlannedJob& planned, const PlannedTarget& target);
  /// What the engine is asked to do with the target, and can't.
  [[nodiscard]] bool able(PlannedJob& planned, const PlannedTarget& target,
                          const EngineInfo& engine);
  /// Why the engine may not use what stands at the path; empty when it may.
  [[nodiscard]] static std::string unfit(const target::Target& target, const EngineInfo& engine);
  /// Of asynchronous engines where the page cache, or a file system in memory, makes them wait.
  void warn_of_waiting(PlannedJob& planned, const target::Target& target, const EngineInfo& engine);
  /// Of direct=1 where memory is mapped.
  void warn_of_mapping(PlannedJob& planned, const EngineInfo& engine);
  /// Of an engine that has one request at a time in each file.
  void warn_of_turns(PlannedJob& planned, std::size_t files, const EngineInfo& engine);
  /// Whether block sizes and offset suit direct I/O, commands and discards.
  [[nodiscard]] bool aligned(const PlannedJob& planned, const PlannedTarget& target,
                             const Extent& extent);

  // plan.cpp
  /// Where `key` was set in the job; its section when it was not. Engine options count, too.
  [[nodiscard]] static jobs::Where where_of(const jobs::JobSpec& spec, std::string_view key);
  /// Nothing runs after it, but planning goes on, to find more.
  void error(const jobs::JobSpec& spec, std::string_view key, std::string message);
  /// A note of the job's result, too: what fio corrects unseen is told in both places.
  void warn(PlannedJob& planned, std::string_view key, std::string message);

  Plan& plan_;
  const RunOptions& options_;
  std::map<std::string, std::uint32_t> targets_;  ///< path -> index into plan_.targets
  std::uint32_t workers_ = 0;
  bool repeats_ = false;     ///< a warning would be that of the generated file before
  bool group_open_ = false;  ///< the present reporting group has jobs
  std::uint32_t group_ = 0;
};

/// Bytes of an amount: its own, or its percentage of `whole` bytes, rounded down.
[[nodiscard]] std::uint64_t amount_of(const jobs::Amount& amount, std::uint64_t whole) noexcept;

/// Largest block size, in bytes, among the directions that `job` uses.
[[nodiscard]] std::uint64_t largest_block(const jobs::Job& job) noexcept;

/// The same among those that move data: reads and writes. 0 for a job that only trims.
[[nodiscard]] std::uint64_t largest_transfer(const jobs::Job& job) noexcept;

}  // namespace chronio::runner

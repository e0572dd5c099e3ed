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

/// Plans one job after the other into `plan`. Mistakes become diagnostics; a job with an error is
/// left out.
class Planner {
 public:
  Planner(Plan& plan, const RunOptions& options) : plan_(plan), options_(options) {}

  void add_job(jobs::JobSpec spec);
  /// After the last job: no more files may be open at once than the process may open.
  void check_descriptors();
  /// Warns of stages in which no job has an end.
  void check_ends();

 private:
  // plan.cpp
  void check_latencies(PlannedJob& planned);
  void add_clones(std::uint32_t job, const EngineInfo& engine);
  void place_in_stage(const jobs::Job& job, std::vector<WorkerPlan> workers);
  [[nodiscard]] WorkerPlan worker(std::uint32_t job, std::uint32_t clone, const EngineInfo& engine);
  std::uint64_t bytes_in_all(const PlannedJob& planned, const WorkerPlan& worker,
                             std::uint64_t size);
  void set_limits(const PlannedJob& planned, WorkerPlan& worker);

  // plan_engine.cpp
  [[nodiscard]] const EngineInfo* find_job_engine(const jobs::JobSpec& spec);
  void read_engine_options(PlannedJob& planned, const EngineInfo& engine);
  void check_depth(PlannedJob& planned, const EngineInfo& engine);
  /// Of engines on an io_uring ring: what every kernel answers with a bare EINVAL.
  void check_ring(const PlannedJob& planned);
  /// Of engines that make one request for each file.
  void check_whole_files(const PlannedJob& planned, const EngineInfo& engine);
  void check_direction(const PlannedJob& planned, const EngineInfo& engine);
  void check_cpus(const PlannedJob& planned);

  // plan_pmu.cpp
  void read_pmu(PlannedJob& planned);

  // plan_targets.cpp
  void add_files(const PlannedJob& planned, WorkerPlan& worker);
  void add_file(const PlannedJob& planned, const std::string& path, std::size_t files,
                WorkerPlan& worker);
  [[nodiscard]] std::uint32_t target_of(const std::string& path, bool diskless);
  [[nodiscard]] bool usable(const PlannedJob& planned, const PlannedTarget& target,
                            const EngineInfo& engine);
  void tell_no_size(const PlannedJob& planned, const PlannedTarget& target);
  [[nodiscard]] std::optional<Extent> extent(const PlannedJob& planned, const PlannedTarget& target,
                                             std::size_t files);
  [[nodiscard]] bool fits(const PlannedJob& planned, PlannedTarget& target, const Extent& extent,
                          const EngineInfo& engine);
  void add_whole_file(const PlannedJob& planned, std::uint32_t index, std::size_t files,
                      WorkerPlan& worker);

  // plan_abilities.cpp
  /// Has the engine itself tell the target's size and limits, where it can. False: it refuses.
  [[nodiscard]] bool ask_engine(const PlannedJob& planned, PlannedTarget& target,
                                const EngineInfo& engine);
  [[nodiscard]] bool fits_device(const PlannedJob& planned, const PlannedTarget& target);
  /// What the engine is asked to do with the target, and can't.
  [[nodiscard]] bool able(PlannedJob& planned, const PlannedTarget& target,
                          const EngineInfo& engine);
  /// Why the engine may not use what stands at the path; empty when it may.
  [[nodiscard]] static std::string unfit(const target::Target& target, const EngineInfo& engine);
  void warn_of_waiting(PlannedJob& planned, const target::Target& target, const EngineInfo& engine);
  /// Of an engine that has one request at a time in each file.
  void warn_of_turns(PlannedJob& planned, std::size_t files, const EngineInfo& engine);
  [[nodiscard]] bool aligned(const PlannedJob& planned, const PlannedTarget& target,
                             const Extent& extent);

  // plan.cpp
  /// Where `key` was set in the job; its section when it was not.
  [[nodiscard]] static jobs::Where where_of(const jobs::JobSpec& spec, std::string_view key);
  void error(const jobs::JobSpec& spec, std::string_view key, std::string message);
  void warn(PlannedJob& planned, std::string_view key, std::string message);

  Plan& plan_;
  const RunOptions& options_;
  std::map<std::string, std::uint32_t> targets_;  ///< path -> index into plan_.targets
  std::uint32_t workers_ = 0;
  bool repeats_ = false;     ///< a warning would be that of the generated file before
  bool group_open_ = false;  ///< the present reporting group has jobs
  std::uint32_t group_ = 0;
};

/// The engine's option of that name; null when it has none.
[[nodiscard]] const EngineOption* option_of(const PlannedJob& planned, std::string_view name);

/// Largest block size, in bytes, among the directions that `job` uses.
[[nodiscard]] std::uint64_t largest_block(const jobs::Job& job) noexcept;

/// The same among those that move data: reads and writes. 0 for a job that only trims.
[[nodiscard]] std::uint64_t largest_transfer(const jobs::Job& job) noexcept;

}  // namespace chronio::runner

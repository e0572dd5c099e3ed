// observer.hpp: what a run tells while it goes on, as plain records. report implements it, cli
// connects it.
#pragma once

#include "results/run.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace chronio::runner {

/// What a run is at. Layout comes before the first stage, the last three in each.
enum class Phase : std::uint8_t { layout, ramp, run, drain };

/// One snapshot, at most four a second; figures are of the time since the one before, over all
/// running workers, the ramp's I/Os not among them.
struct Progress {
  Phase phase = Phase::run;
  std::uint64_t elapsed_ns = 0;         ///< since the start of this stonewall group
  std::optional<std::uint64_t> eta_ns;  ///< until its end, where that can be told
  std::optional<double> done;           ///< 0 to 1
  std::uint32_t workers = 0;            ///< running
  std::string jobs;                     ///< name of the group's first job, "and N more"
  results::Interval interval;
  std::array<std::optional<double>, 2>
      percentiles_ns;  ///< interval clat p50 and p99.9, all directions
};

/// A worker got no completion for 5 s though I/Os are outstanding.
struct Stall {
  std::string jobname;
  std::string path;
  std::uint64_t outstanding = 0;
  std::uint64_t silent_ns = 0;
};

/// Called by the coordinator's thread, outside every hot path. What it takes delays the next look
/// at the workers, never a worker. May throw: the stage is stopped then.
class Observer {
 public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  Observer(Observer&&) = delete;
  Observer& operator=(Observer&&) = delete;
  virtual ~Observer() = default;

  /// Whether progress() at that time, since the start of the group, would be shown: a snapshot of
  /// what nobody sees takes time from the workers for nothing.
  [[nodiscard]] virtual bool shows(std::uint64_t elapsed_ns) const = 0;
  /// A snapshot that shows() asked for, or news of the layout, which come as often as 1 MiB is
  /// written.
  virtual void progress(const Progress& progress) = 0;
  /// Told whatever shows() answers.
  virtual void stalled(const Stall& stall) = 0;
  /// The last progress of a group was told.
  virtual void group_done() = 0;
};

}  // namespace chronio::runner

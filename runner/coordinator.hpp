// coordinator.hpp: watches the workers of one stage: start, snapshots, stalls, signals, end.
#pragma once

#include "clock/timebase.hpp"
#include "runner/observer.hpp"
#include "runner/series.hpp"
#include "runner/signals.hpp"
#include "runner/worker.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace chronio::runner {

/// Runs one stage on the calling thread, which does no I/O itself. It looks at the workers four
/// times a second, by memory that they write anyhow: they never wait for it, and take no notice but
/// of the stop flag.
class Coordinator {
 public:
  /// All references outlive the coordinator. `workers` are not started yet, and there is at least
  /// one.
  Coordinator(std::span<const std::unique_ptr<Worker>> workers, Gate& gate,
              clock::Timebase& timebase, Signals& signals, Observer& observer);

  /// Starts the workers together and waits for their end. A signal stops them; they drain. One that
  /// gets no thread stops them all before their first I/O. False when a second signal came before
  /// all had ended: some workers still run then and must never be destroyed. Whatever it throws,
  /// workers don't wait for the gate any more.
  [[nodiscard]] bool run();

  /// Intervals of worker `index` of those given, not yet closed: only the worker's result knows
  /// where its measured part ended. REQUIRES: run() has returned.
  [[nodiscard]] const Series& series(std::size_t index) const noexcept {
    return watched_[index].series;
  }

 private:
  /// What the coordinator remembers of a worker from one look to the next.
  struct Watched {
    const Worker* worker = nullptr;
    Series series;
    Totals live_totals;  ///< at the last progress
    std::uint64_t finished = 0;
    std::uint64_t last_finish_ns = 0;
    std::uint64_t next_stall_ns = 0;                 ///< silence after which it is named again
    std::array<std::vector<std::uint64_t>, 2> seen;  ///< per direction, for interval percentiles
  };

  /// run(), without the way out when something throws.
  [[nodiscard]] bool start_and_watch();
  /// Up to the first worker that gets no thread: that one stops all.
  void start();
  /// Sleeps until a worker arrives or leaves, a signal comes, or `until_ns`, in ns from the origin.
  /// Takes signals, and stops the gate when there are any. May return early.
  void wait(std::uint64_t until_ns);
  /// False: a second signal came while workers were setting up.
  [[nodiscard]] bool wait_for_arrivals();
  /// Those that have an end have come to it, and there were some: what only goes on beside them
  /// (see WorkerPlan::background) may stop.
  [[nodiscard]] bool only_background_runs() const;
  /// One look at everything; `now_ns` from the opening of the gate.
  void tick(std::uint64_t now_ns);
  /// Adds an interval to the worker's series, if it measures.
  void sample(Watched& watched);
  /// Tells of a worker that is silent for 5 s with I/Os outstanding, and again each time the
  /// silence has doubled.
  void check_stall(Watched& watched, std::uint64_t now_ns);
  /// One Progress of all workers together.
  void tell(std::uint64_t now_ns);
  /// Adds what one worker did since the last progress; `counts` collects the clat of all.
  void add_progress(Watched& watched, std::uint64_t now_ns, Progress& progress,
                    stats::Counts& counts);
  /// ns from the origin: the start of the threads, later the opening of the gate.
  [[nodiscard]] std::uint64_t now_ns() const noexcept;

  std::span<const std::unique_ptr<Worker>> workers_;
  Gate& gate_;
  clock::Timebase& timebase_;
  Signals& signals_;
  Observer& observer_;
  std::vector<Watched> watched_;
  std::size_t started_ = 0;  ///< workers that have a thread: the first ones
  std::uint64_t origin_ticks_ = 0;
  std::uint64_t last_told_ns_ = 0;
  std::uint64_t ticks_ = 0;
};

}  // namespace chronio::runner

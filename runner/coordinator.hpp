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

/// Runs one stage on the calling thread, which does no I/O itself.
class Coordinator {
 public:
  /// All references outlive the coordinator. `workers` are not started yet.
  Coordinator(std::span<const std::unique_ptr<Worker>> workers, Gate& gate,
              clock::Timebase& timebase, Signals& signals, Observer& observer);

  /// Starts the workers together and waits for their end. A signal stops them; they drain. One that
  /// gets no thread stops them all before their first I/O. False when a second signal came before
  /// all had ended: some workers still run then and must never be destroyed. Whatever it throws,
  /// workers don't wait for the gate any more.
  [[nodiscard]] bool run();

  /// Intervals of worker `index`.
  [[nodiscard]] const Series& series(std::size_t index) const noexcept {
    return watched_[index].series;
  }

 private:
  struct Watched {
    const Worker* worker = nullptr;
    Series series;
    Totals live_totals;  ///< at the last progress
    std::uint64_t finished = 0;
    std::uint64_t last_finish_ns = 0;
    std::uint64_t next_stall_ns = 0;                 ///< silence after which it is named again
    std::array<std::vector<std::uint64_t>, 2> seen;  ///< per direction, for interval percentiles
  };

  [[nodiscard]] bool start_and_watch();
  void start();
  /// Sleeps until a worker arrives or leaves, a signal comes, or `until_ns`.
  void wait(std::uint64_t until_ns);
  [[nodiscard]] bool wait_for_arrivals();
  /// Those that have an end have come to it, and there were some.
  [[nodiscard]] bool only_background_runs() const;
  void tick(std::uint64_t now_ns);
  void sample(Watched& watched);
  void check_stall(Watched& watched, std::uint64_t now_ns);
  void tell(std::uint64_t now_ns);
  void add_progress(Watched& watched, std::uint64_t now_ns, Progress& progress,
                    stats::Counts& counts);
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

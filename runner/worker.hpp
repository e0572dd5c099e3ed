// worker.hpp: one thread running one copy of one job: its memory, its engine, its life from set-up
// to tear-down. The loop itself is in loop.hpp.
#pragma once

#include "clock/timebase.hpp"
#include "engines/registry.hpp"
#include "pmu/session.hpp"
#include "results/run.hpp"
#include "runner/gate.hpp"
#include "runner/plan.hpp"
#include "runner/recorder.hpp"
#include "runner/stamps.hpp"
#include "workload/buffers.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace chronio::runner {

/// How far a worker has come. Until `ramping`, its start and recorders are not there; until
/// `measuring`, its measured part has not begun; its end is known from `measured` on.
enum class Step : std::uint8_t { setting_up, ramping, measuring, measured };

/// What other threads may read while the worker runs. A cache line of its own: the worker writes it
/// at each reap, and nothing that others write lies beside it.
struct alignas(64) Live {
  LiveCount outstanding;  ///< requests that the engine has
  LiveCount finished;     ///< requests that came back, whatever their result
  /// Stored with release: who loads it with acquire sees what the step promises.
  std::atomic<Step> step{Step::setting_up};
  std::atomic<bool> over{false};  ///< nothing more comes of it, whether it ever measured or not
};

/// The measured part in ticks of the timebase, and what the thread used in it. Equal ends: there
/// was none.
struct Measured {
  std::uint64_t begin = 0;  ///< ticks
  std::uint64_t end = 0;
  pmu::Usage usage;
};

/// Made by the coordinator's thread, lives on its own: everything that its loop touches is
/// allocated there, so that its pages come from the memory of its own node. Set-up, loop and
/// tear-down never throw; what fails is an error of the result.
class Worker {
 public:
  /// `plan`, `gate` and `timebase` outlive the worker; `work` is part of `plan`.
  Worker(const Plan& plan, const WorkerPlan& work, const clock::Timebase& timebase, Gate& gate);
  /// Waits for the thread: destroy no worker whose thread may not end (see abandon()).
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  Worker(Worker&&) = delete;
  Worker& operator=(Worker&&) = delete;

  /// False when no thread could be had, which is among the errors of the result then; `position` is
  /// the worker's among those that run together, "worker 8 of 20".
  [[nodiscard]] bool start(const std::string& position);
  /// Returns at once when there is no thread.
  void join();
  /// Gives up on what is still outstanding: the thread is detached, and the worker must never be
  /// destroyed.
  void abandon();

  [[nodiscard]] const Live& live() const noexcept { return live_; }
  [[nodiscard]] const WorkerPlan& plan() const noexcept { return work_; }
  [[nodiscard]] const PlannedJob& job() const noexcept { return plan_.jobs[work_.job]; }
  /// Ticks at which the measured part began. REQUIRES: live().step was seen to be `measuring`.
  [[nodiscard]] std::uint64_t measured_from() const noexcept { return measured_.begin; }
  /// By direction, or kSyncRecorder; null for those that the job does not use. REQUIRES: the worker
  /// has arrived at the gate.
  [[nodiscard]] const Recorder* recorder(std::size_t direction) const noexcept {
    return recorders_[direction].get();
  }
  /// For messages about the job as a whole.
  [[nodiscard]] const std::string& first_path() const;
  [[nodiscard]] bool synchronous() const noexcept { return has_flag(*work_.engine, kSynchronous); }
  /// What the job measures.
  [[nodiscard]] Latencies latencies() const noexcept {
    return latencies_of(job().spec.job, synchronous());
  }

  /// After join(), of an engine that makes its files: whether all of them are its own. One that
  /// makes a file with each request has failed where another file stood.
  [[nodiscard]] bool made_its_files() const noexcept;

  /// From another thread, while the worker measures: keeps the counting of events in its budget.
  void watch_pmu() const noexcept;

  /// What the worker leaves behind; after join(), or with `exact` false for an abandoned one, whose
  /// counts and histograms are those of the moment. `hz`: ticks per second over the whole run, by
  /// which run times are made; latencies are ns already.
  [[nodiscard]] results::Job result(double hz, bool exact) const;

 private:
  template <class Stamps, bool kAboveGhz>
  friend class Loop;

  /// The thread's whole life: set-up, gate, loop, tear-down.
  void run();
  /// False when `step`, called `name` in messages, answers so, or throws: an error of the worker's.
  template <class Step>
  [[nodiscard]] bool guarded(const char* name, Step step);
  /// False: errors_ says why. All memory that is known now is taken here.
  [[nodiscard]] bool set_up();
  /// To cpus_allowed, before any memory is touched. A failure is a note: the plan has looked.
  void pin();
  /// A File for each of the job's, opened unless the engine does that. False: errors_ says why.
  [[nodiscard]] bool open_files();
  /// As open_files().
  [[nodiscard]] bool open_engine();
  /// What the engine is given; points into the worker.
  [[nodiscard]] Setup setup() noexcept;
  /// Between two passes of the job, with nothing outstanding. 0 or the engine's -errno.
  [[nodiscard]] int drop_caches() noexcept;
  /// False only where pmu=require asks for what can't be counted.
  [[nodiscard]] bool open_pmu();
  void fill_pmu(results::Job& out) const;
  /// Histograms only for what the job uses and measures; each takes memory as it is filled.
  void make_recorders();
  /// The loop, and what belongs to the I/O without being in its latencies.
  void measure();
  /// Buffered data to the device, at the end.
  void flush();
  /// fsync(2) of one of them; a failure is an error of the job.
  void sync(const File& file);
  /// Gives everything back, or where requests are still out, keeps what the kernel may write to.
  void tear_down();
  /// An error of the job: `error` is an errno.
  void fail(const char* operation, const std::string& path, int error);
  /// A failed request: `result` below 0, or 0 where data was due.
  void fail_io(const Io& io);
  /// The job as planned, before any figure.
  [[nodiscard]] results::Job described() const;
  /// I/Os that completed on another CPU than they were submitted on; nothing where the counter
  /// does not tell the CPU.
  [[nodiscard]] std::optional<std::uint64_t> migrated_ios() const noexcept;
  /// What may be read after join() only.
  void fill_what_ended(results::Job& out) const;
  /// The measured part up to now, of a worker that may still run: without usage.
  [[nodiscard]] Measured measured_so_far(Step step) const noexcept;
  /// Counts and latencies of one direction, as far as they were measured.
  void fill_direction(results::Job& job, std::size_t direction, bool exact) const;

  const Plan& plan_;
  const WorkerPlan& work_;
  const clock::Timebase& timebase_;
  Gate& gate_;
  Live live_;
  std::thread thread_;

  EngineHandle engine_;
  std::vector<File> files_;
  std::vector<OptionValue> options_;
  std::optional<workload::Buffers> buffers_;
  bool engine_open_ = false;
  std::uint32_t outstanding_ = 0;  ///< requests that never came back

  std::array<std::unique_ptr<Recorder>, kRecorders> recorders_;
  std::unique_ptr<pmu::Session> session_;  ///< null: no events are counted
  DepthCounts depths_;
  Measured measured_;
  std::uint64_t start_ticks_ = 0;   ///< when the gate opened
  std::uint64_t job_start_ms_ = 0;  ///< Unix time of the same
  std::uint64_t negative_deltas_ = 0;
  std::uint64_t migrated_ios_ = 0;
  Facts facts_;
  std::vector<results::IoError> errors_;
  std::uint64_t more_errors_ = 0;  ///< failed requests beyond those in errors_
  std::vector<std::string> notes_;
};

}  // namespace chronio::runner

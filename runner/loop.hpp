// loop.hpp: THE loop: pattern, stamp, queue, commit, stamp, reap, stamp, record. No allocation,
// lock or system call of ours. A template on the stamps that are taken and on their scale; facts of
// the job are hoisted into members.
#pragma once

#include "clock/scale.hpp"
#include "runner/stamps.hpp"
#include "runner/worker.hpp"
#include "workload/pattern.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace chronio::runner {

/// Stamps: EveryStamp or NeededStamps of the counter. kAboveGhz: the counter's scale has no
/// pre-shift, which saves four instructions an I/O.
template <class Stamps, bool kAboveGhz>
class Loop {
 public:
  /// Takes all memory that the loop touches, on the worker's thread. Throws std::bad_alloc.
  /// REQUIRES: the worker is set up.
  Loop(Worker& worker, const Stamps& stamps);

  /// Runs until the job's bytes or time are used up, an I/O fails, or the gate says stop; then
  /// drains. Leaves the measured part, depths and errors in the worker. Returns the number of
  /// requests that never came back: the Loop must then be kept for ever, for they lie in it.
  std::uint32_t run() noexcept;

 private:
  /// A request and what the loop knows of it beside; the engine sees the Io. Two cache lines, of
  /// which the first is the Io.
  struct alignas(128) Request : Io {
    std::uint64_t start = 0;    ///< ticks
    std::uint64_t issue = 0;    ///< ticks
    std::int64_t whole = 0;     ///< the result of an I/O like most; kNever of a sync and of a rest
    Request* next = nullptr;    ///< in the list that it is in, see free_
    std::byte* home = nullptr;  ///< its buffer; Io::buf moves on with short transfers
    std::uint32_t cpu = 0;      ///< that `start` was taken on, where the counter tells
    static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min();
  };
  /// The engine gives back the Io that it was lent: it is part of a Request of ours.
  [[nodiscard]] static Request& request_of(Io& io) noexcept { return static_cast<Request&>(io); }

  // What every I/O runs through is inlined into one piece of code, what is rare stays out of it:
  // calls between the parts took a third of the instructions.
  /// Times from now on: end of the ramp, deadline, first pass.
  void begin() noexcept;
  /// `taken`: bytes of the measured part's that are issued already.
  [[gnu::noinline, gnu::cold]] void begin_measuring(std::uint64_t now,
                                                    std::uint64_t taken) noexcept;
  /// The whole of a job with a synchronous engine: one request, stamped just before and after
  /// queue.
  [[gnu::flatten]] void run_synchronous() noexcept;
  /// The whole of any other job: submit and reap in turns.
  [[gnu::flatten]] void run_asynchronous() noexcept;

  /// Fills the queue and commits: returns when it is full or nothing more is to be issued. True:
  /// the engine is busy, or failed.
  [[gnu::always_inline]] inline bool submit() noexcept;
  /// Nothing more is issued; what is outstanding is waited for one by one.
  [[gnu::noinline, gnu::cold]] void stop() noexcept;
  /// Nothing is outstanding: whether the loop has come to its end.
  [[gnu::noinline, gnu::cold]] bool at_end(bool busy) noexcept;
  /// Offers again what was refused as busy or came back short, with the stamps of its first
  /// attempt. True: the engine is busy.
  [[gnu::noinline, gnu::cold]] bool retry_held() noexcept;
  /// The request to offer next: a sync that is due, or the pattern's next. Null: the bytes are used
  /// up.
  [[gnu::always_inline]] inline Request* next() noexcept;
  /// next(), where no sync is due.
  [[gnu::always_inline]] inline Request* from_pattern() noexcept;
  /// `accepted` requests go out; those that have no issue stamp yet, `fresh` from `first` on, get
  /// theirs. False: the engine failed.
  [[gnu::always_inline]] inline bool commit(std::uint32_t accepted, Request* first,
                                            std::uint32_t fresh) noexcept;
  /// A sync of the file that was written last, or the first request of a pass that begins.
  [[gnu::noinline, gnu::cold]] Request* sync_request() noexcept;
  /// The budget does not hold what the pattern gave the first of free_: it, or null where it is not
  /// to be issued now, or never.
  [[gnu::noinline, gnu::cold]] Request* end_pass() noexcept;
  /// Nothing is outstanding: caches are dropped. False: that failed.
  bool begin_pass() noexcept;
  /// Issues the request that the pattern gave last: first_.
  [[nodiscard]] Request* first_of_pass() noexcept;
  /// A write is about to be issued: makes its data new, and counts up to the next sync.
  void wrote(Io& io) noexcept;
  /// The engine completed `io` inside queue(). As complete().
  [[nodiscard, gnu::noinline]] bool complete_at_once(Request& io) noexcept;
  /// Something in time is due at `now`: the ramp's end or the deadline. False: `io` is not to be
  /// issued. True: time has passed since `now`.
  [[gnu::noinline, gnu::cold]] bool in_time(const Io& io, std::uint64_t now) noexcept;
  /// False: the engine failed.
  [[gnu::always_inline]] inline bool reap() noexcept;
  /// reap() until no more than iodepth_low are outstanding; once where that is iodepth.
  [[gnu::always_inline]] inline bool reap_to_low() noexcept;
  /// True: the request is free again, and in no list.
  [[nodiscard, gnu::always_inline]] inline bool complete(Request& io, clock::Stamp done) noexcept;
  /// A read, write or trim of `bytes` is done.
  [[gnu::always_inline]] inline void count(const Request& io, std::int64_t bytes,
                                           clock::Stamp done) noexcept;
  /// Latencies of `io` into its recorder; counts it. `done`: ticks.
  [[gnu::always_inline]] inline void record(Recorder& into, const Request& io,
                                            std::uint64_t done) noexcept;
  /// The same of a job that does not measure every latency.
  void record_some(Recorder& into, const Request& io, std::uint64_t done) noexcept;
  /// A sync, a failure, a transfer that is not whole, or the rest of one. As complete().
  [[nodiscard, gnu::noinline, gnu::cold]] bool complete_other(Request& io,
                                                              clock::Stamp done) noexcept;
  /// The engine itself is of no more use: `hook` answered `error`, an errno. Nothing that is
  /// outstanding can be waited for then.
  [[gnu::noinline, gnu::cold]] void engine_failed(const char* hook, int error) noexcept;
  /// [hot] Into the free list, at its head.
  void give_back(Request& io) noexcept {
    io.next = free_;
    free_ = &io;
  }
  /// [hot] ns from one reading to a later one; 0, and counted, where the later one is lower.
  [[nodiscard]] std::uint64_t ns_between(std::uint64_t from, std::uint64_t to) noexcept {
    if (to >= from) [[likely]]
      return kAboveGhz ? scale_.to_ns_above_ghz(to - from) : scale_.to_ns(to - from);
    ++worker_.negative_deltas_;  // the counters of two CPUs differ by more than the interval
    return 0;
  }

  static constexpr std::uint8_t kFsync = 1, kFdatasync = 2, kPassEnds = 4, kPassBegins = 8;
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  Worker& worker_;
  Engine& engine_;
  Stamps stamps_;
  const clock::TickScale scale_;
  workload::Pattern pattern_;

  DepthCounts depths_;
  std::vector<Request> requests_;
  std::vector<Request*> held_;
  std::vector<Io*> done_;
  std::span<Io*> reaped_;  ///< where reap() may put completions: done_
  /// The one that came back last is taken first. One that is taken stays linked to the next, so
  /// that those accepted one after the other need no list of their own until they are committed.
  Request* free_ = nullptr;
  std::uint32_t held_count_ = 0;
  std::uint32_t outstanding_ = 0;  ///< that the engine has; what was not committed yet is not in

  std::array<Recorder*, kRecorders> recorders_;
  const bool scrambles_;
  const std::uint32_t submit_batch_;
  std::uint32_t complete_min_;
  const std::uint32_t low_;  ///< requests
  const std::atomic<bool>& stopped_;
  const std::uint32_t fsync_every_, fdatasync_every_;

  bool broken_ = false;  ///< the engine itself failed: what is outstanding can't be waited for
  bool measuring_ = false;
  std::uint64_t budget_ = kNever;      ///< bytes still to issue in this pass; 0 ends the issuing
  std::uint64_t left_ = 0;             ///< bytes to issue in later passes
  std::uint64_t next_event_ = kNever;  ///< ticks: in_time() has to look
  std::uint64_t measure_from_ = 0;     ///< ticks: I/Os issued from then on count
  std::uint64_t deadline_ = kNever;    ///< ticks
  std::uint64_t writes_ = 0;           ///< issued, for fsync=, fdatasync= and scrambling
  std::uint8_t syncs_due_ = 0;         ///< kFsync and kFdatasync; or one of kPass*, with neither
  std::uint32_t last_written_file_ = 0;
  Io first_ = {};  ///< of the pass that begins when nothing is outstanding any more
};

/// Runs the worker's job with the timebase's counter, on the calling thread. Returns the number of
/// requests that never came back.
[[nodiscard]] std::uint32_t run_loop(Worker& worker, const clock::Timebase& timebase);

}  // namespace chronio::runner

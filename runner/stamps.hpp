// stamps.hpp: which readings of the counter an I/O takes: all, or only what the job's latencies
// need.
#pragma once

#include "clock/counter.hpp"
#include "jobs/job.hpp"

#include <algorithm>
#include <cstdint>

namespace chronio::runner {

/// The latencies that a job measures: what disable_slat, disable_clat, disable_lat and gtod_reduce
/// leave.
struct Latencies {
  bool slat = true, clat = true, lat = true;

  /// The everyday job: EveryStamp serves it, NeededStamps any other.
  [[nodiscard]] bool all() const noexcept { return slat && clat && lat; }
  [[nodiscard]] bool none() const noexcept { return !slat && !clat && !lat; }
};

/// What a job measures. Synchronous engines have no slat: there `slat` only says that a
/// stamp is taken at all, so that all() and none() answer as for others.
[[nodiscard]] inline Latencies latencies_of(const jobs::ReportOptions& job,
                                            bool synchronous) noexcept {
  if (job.gtod_reduce) return {false, false, false};
  return {synchronous ? !(job.disable_clat && job.disable_lat) : !job.disable_slat,
          !job.disable_clat, !job.disable_lat};
}

/// Three stamps an I/O, less what a batch shares: what an everyday job takes. Holds nothing but the
/// counter, so it is as cheap as that.
template <class Counter>
class EveryStamp {
 public:
  static constexpr bool kEvery = true;
  /// Start and done stamps name the CPU that took them.
  static constexpr bool kTellsCpu = Counter::kTellsCpu;

  /// By value: a counter is a choice made at compile time.
  explicit EveryStamp(Counter counter) noexcept : counter_(counter) {}

  /// [hot] Of all three: ticks. start() and done() with the CPU.
  [[nodiscard]] clock::Stamp start() noexcept { return counter_.stamp(); }
  [[nodiscard]] std::uint64_t issue() noexcept { return counter_.now(); }
  [[nodiscard]] clock::Stamp done() noexcept { return counter_.stamp(); }
  /// A reading whatever the job measures.
  [[nodiscard]] clock::Stamp real() noexcept { return counter_.stamp(); }

 private:
  const Counter counter_;
};

/// Only what the latencies in use need. A stamp that none needs is the latest that was taken;
/// because time limits are held against it, one in 64 at least is a reading, and each one while
/// readings lie further apart than `most_apart`: a slow device is asked the time at each I/O, where
/// that costs nothing, and a fast one seldom.
template <class Counter>
class NeededStamps {
 public:
  static constexpr bool kEvery = false;
  static constexpr bool kTellsCpu = false;

  /// `most_apart`: ticks.
  NeededStamps(Counter counter, const Latencies& measured, std::uint64_t most_apart) noexcept
      : counter_(counter),
        // Of clat, too: that of a sync, and of what completes inside the queue call, begins there.
        starts_(!measured.none()),
        issues_(measured.slat || measured.clat),
        dones_(measured.clat || measured.lat),
        most_apart_(most_apart),
        last_(counter.stamp()) {}

  /// [hot] Ticks; not later than the present.
  [[nodiscard]] clock::Stamp start() noexcept { return starts_ ? real() : coarse(); }
  [[nodiscard]] std::uint64_t issue() noexcept { return issues_ ? real().ticks : last_.ticks; }
  [[nodiscard]] clock::Stamp done() noexcept { return dones_ ? real() : last_; }
  [[nodiscard]] clock::Stamp real() noexcept { return last_ = counter_.stamp(); }

  /// No latency is measured.
  [[nodiscard]] bool none() const noexcept { return !issues_ && !dones_; }
  /// Whether the stamps of that name are readings.
  [[nodiscard]] bool issues() const noexcept { return issues_; }
  [[nodiscard]] bool dones() const noexcept { return dones_; }

 private:
  /// Twice as many readings are left out after each one that came soon enough, none after one that
  /// did not: so a device that becomes slow is noticed within 64 I/Os.
  clock::Stamp coarse() noexcept {
    if (to_skip_ != 0) {
      --to_skip_;
      return last_;
    }
    const std::uint64_t before = last_.ticks;
    skipped_ = real().ticks - before < most_apart_ ? std::min(2 * skipped_ + 1, kMostSkipped) : 0;
    to_skip_ = skipped_;
    return last_;
  }

  static constexpr std::uint32_t kMostSkipped = 63;  // fio's timestamp cache of gtod_reduce

  const Counter counter_;
  const bool starts_, issues_, dones_;
  const std::uint64_t most_apart_;
  clock::Stamp last_;
  std::uint32_t skipped_ = 0;  // readings left out after the last one
  std::uint32_t to_skip_ = 0;  // of these, still to come
};

}  // namespace chronio::runner

// series.hpp: how many I/Os and bytes a worker did in each interval, in bounded memory.
#pragma once

#include "results/run.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace chronio::runner {

/// Totals so far, read wait-free from a running worker: I/Os and bytes of the measured part, by
/// direction. The two may be an I/O apart, since nothing stops the worker between its two sums.
struct Totals {
  std::array<std::uint64_t, results::kDirections> ios = {};
  std::array<std::uint64_t, results::kDirections> bytes = {};
};

/// At most kMost intervals, so an hour takes no more memory than a minute; when they are used up,
/// neighbours are joined and intervals become twice as long. All lengths add up to the time up to
/// the last call, all counts to its totals. Single owner: the coordinator's thread.
class Series {
 public:
  /// Even, so that all have a neighbour to be joined with.
  static constexpr std::size_t kMost = 512;

  /// The interval from the last call (or from 0) to `now_ns`, both in ns from the start of the
  /// measured part. A time that is not later than the last one's is left out, and what came then is
  /// part of the next interval. REQUIRES: totals never fall.
  void add(std::uint64_t now_ns, const Totals& totals);

  /// The measured part ended at `end_ns` with `totals`: lengths add up to the one, counts to the
  /// other, wherever the last sample was taken.
  void close(std::uint64_t end_ns, const Totals& totals);

  /// In the order of time, without gaps; the last may be shorter than the others.
  [[nodiscard]] const std::vector<results::Interval>& intervals() const noexcept {
    return intervals_;
  }

 private:
  /// REQUIRES: kMost intervals.
  void join_neighbours();

  std::vector<results::Interval> intervals_;
  Totals last_;
  std::uint64_t last_ns_ = 0;
  std::uint32_t calls_per_interval_ = 1;
  std::uint32_t calls_ = 0;  ///< that went into the last interval
};

/// What came between two readings; start and length are left 0. REQUIRES: `to` is the later one.
[[nodiscard]] results::Interval between(const Totals& from, const Totals& to) noexcept;

}  // namespace chronio::runner

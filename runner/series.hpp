// series.hpp: how many I/Os and bytes a worker did in each interval, in bounded memory.
#pragma once

#include "results/run.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace chronio::runner {

/// Totals so far, read wait-free from a running worker.
struct Totals {
  std::array<std::uint64_t, results::kDirections> ios = {};
  std::array<std::uint64_t, results::kDirections> bytes = {};
};

/// At most kMost intervals; when they are used up, neighbours are joined and intervals become twice
/// as long.
class Series {
 public:
  static constexpr std::size_t kMost = 512;

  /// The interval from the last call (or from 0) to `now_ns`, both from the start of the measured
  /// part.
  void add(std::uint64_t now_ns, const Totals& totals);

  /// The measured part ended at `end_ns` with `totals`: lengths add up to the one, counts to the
  /// other, wherever the last sample was taken.
  void close(std::uint64_t end_ns, const Totals& totals);

  [[nodiscard]] const std::vector<results::Interval>& intervals() const noexcept {
    return intervals_;
  }

 private:
  void join_neighbours();

  std::vector<results::Interval> intervals_;
  Totals last_;
  std::uint64_t last_ns_ = 0;
  std::uint32_t calls_per_interval_ = 1;
  std::uint32_t calls_ = 0;  ///< that went into the last interval
};

/// What came between two readings.
[[nodiscard]] results::Interval between(const Totals& from, const Totals& to) noexcept;

}  // namespace chronio::runner

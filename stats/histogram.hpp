// histogram.hpp: the latency histogram of one direction and kind while it is recorded.
// Log-linear: 128 sub-buckets per power of two, 1 ns to 2^44 ns, integer counters.
#pragma once

#include "stats/counts.hpp"

#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>

namespace chronio::stats {

/// Single writer; any thread may read. Readers see buckets that are each exact but not of one
/// instant. Storage comes from zero pages: only what is touched takes memory.
class Histogram {
 public:
  Histogram();

  /// [hot] Counts one latency in ns. Values from 2^44 on go to `overflow`.
  void record(std::uint64_t ns) noexcept {
    std::atomic<std::uint64_t>& cell = cells_[cell_of(ns)];
    cell.store(cell.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  /// Count in bucket `index`. REQUIRES: index < kBuckets.
  [[nodiscard]] std::uint64_t count(std::uint32_t index) const noexcept {
    return cells_[index].load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t overflow() const noexcept { return count(kBuckets); }

  /// What has been counted so far, sparse.
  [[nodiscard]] Counts counts() const;

  /// Adds to `counts` what came since `seen` and brings `seen` up to date.
  /// `seen`: kBuckets + 1 cells (the last is overflow), zero before the first call.
  void take_new(std::span<std::uint64_t> seen, Counts& counts) const;

 private:
  static std::uint32_t cell_of(std::uint64_t ns) noexcept {
    return ns < kLimit ? bucket_of(ns) : kBuckets;
  }

  struct Unmap {
    void operator()(std::atomic<std::uint64_t>* cells) const noexcept;
  };
  std::unique_ptr<std::atomic<std::uint64_t>[], Unmap> cells_;
};

}  // namespace chronio::stats

// histogram.hpp: the latency histogram of one direction and kind while it is recorded.
// Log-linear: 128 sub-buckets per power of two, 1 ns to 2^44 ns, integer counters.
#pragma once

#include "stats/counts.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

namespace chronio::stats {

/// Single writer; any thread may read. Readers see buckets that are each exact but not of one
/// instant. Storage comes from zero pages: only what is touched takes memory.
class Histogram {
 public:
  /// Throws std::bad_alloc.
  Histogram();

  /// [hot] Counts one latency in ns. Values from 2^44 on go to `overflow`.
  void record(std::uint64_t ns) noexcept {
    // One writer: a plain load and store, cheaper than an atomic addition, loses nothing.
    const std::atomic_ref<std::uint64_t> cell(cells_[cell_of(ns)]);
    cell.store(cell.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  /// Count in bucket `index`. REQUIRES: index < kBuckets.
  [[nodiscard]] std::uint64_t count(std::uint32_t index) const noexcept { return load(index); }
  [[nodiscard]] std::uint64_t overflow() const noexcept { return load(kBuckets); }

  /// What has been counted so far, sparse.
  [[nodiscard]] Counts counts() const;

  /// Adds to `counts` what came since `seen` and brings `seen` up to date. A latency that is
  /// recorded meanwhile is in this call or in the next one, never in none or in both. `seen`:
  /// kBuckets + 1 cells (the last is overflow), zero before the first call.
  void take_new(std::span<std::uint64_t> seen, Counts& counts) const;

 private:
  static std::uint32_t cell_of(std::uint64_t ns) noexcept {
    return ns < kLimit ? bucket_of(ns) : kBuckets;
  }
  [[nodiscard]] std::uint64_t load(std::uint32_t cell) const noexcept {
    return std::atomic_ref<std::uint64_t>(cells_[cell]).load(std::memory_order_relaxed);
  }

  struct Unmap {
    void operator()(std::uint64_t* cells) const noexcept;
  };
  std::unique_ptr<std::uint64_t[], Unmap> cells_;  // kBuckets + 1, the last is overflow
};

}  // namespace chronio::stats

// histogram.hpp: the latency histogram of one direction and kind while it is recorded.
// Log-linear: 128 sub-buckets per power of two, 1 ns to 2^44 ns, integer counters.
#pragma once

#include "stats/counts.hpp"
#include "stats/single_writer.hpp"

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
  void record(std::uint64_t ns) noexcept { add_single_writer(cells_[bucket_of(ns)], 1); }

  /// Count in bucket `index`.
  /// REQUIRES: index < kBuckets.
  [[nodiscard]] std::uint64_t count(std::uint32_t index) const noexcept { return load(index); }
  /// Latencies of 2^44 ns and more. Sums 2,560 cells: not for a loop.
  [[nodiscard]] std::uint64_t overflow() const noexcept;

  /// What has been counted so far, sparse. While somebody records, its total may lie between that
  /// at the beginning and that at the end.
  [[nodiscard]] Counts counts() const;

  /// Adds to `counts` what came since `seen` and brings `seen` up to date. A latency that is
  /// recorded meanwhile is in this call or in the next one, never in none or in both. `seen`:
  /// kBuckets + 1 cells (the last is overflow), zero before the first call. Any one thread, while
  /// another records; one `seen` for each reader.
  void take_new(std::span<std::uint64_t> seen, Counts& counts) const;

 private:
  [[nodiscard]] std::uint64_t load(std::uint32_t cell) const noexcept {
    return std::atomic_ref<std::uint64_t>(cells_[cell]).load(std::memory_order_relaxed);
  }

  /// munmap(2) in place of delete.
  struct Unmap {
    void operator()(std::uint64_t* cells) const noexcept;
  };
  /// kAllCells: no range check on the hot path; those from kBuckets on are the overflow.
  std::unique_ptr<std::uint64_t[], Unmap> cells_;
};

}  // namespace chronio::stats

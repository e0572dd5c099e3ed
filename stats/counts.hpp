// counts.hpp: a latency histogram at rest: the bucket layout, sparse counts, merge and percentiles.
#pragma once

#include "stats/moments.hpp"

#include <bit>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace chronio::stats {

/// Sub-buckets per power of two are 2^kBits; index for index the layout of HdrHistogram with two
/// significant digits, and an exact 2:1 refinement of fio's bins.
inline constexpr std::uint32_t kBits = 7;
/// Latencies up to 2^kMaxBits ns, 4.9 hours, have a bucket.
inline constexpr std::uint32_t kMaxBits = 44;
/// ns; the first latency that has no bucket.
inline constexpr std::uint64_t kLimit = std::uint64_t{1} << kMaxBits;
/// A bucket is at most 1/128 of its latencies wide: its middle is at most 0.39 % off.
inline constexpr std::uint32_t kBuckets = (kMaxBits - kBits + 1) << kBits;  // 4,864

/// Cells that the same layout has for all latencies of 64 bits. With so many a record needs no look
/// at its size.
inline constexpr std::uint32_t kAllCells = (64 - kBits + 1) << kBits;  // 7,424

/// [hot] Bucket of a latency; from kLimit on, a cell at or above kBuckets. No branch. Up to 255 ns
/// each latency has a bucket of its own.
/// Source: bucket scheme as in Gil Tene's HdrHistogram.
[[nodiscard]] constexpr std::uint32_t bucket_of(std::uint64_t ns) noexcept {
  // By exclusive or, GCC 12 sees that this is one instruction; std::bit_width makes it three.
  const auto top =
      static_cast<std::uint32_t>(std::countl_zero(ns | (std::uint64_t{1} << kBits)) ^ 63);
  const std::uint32_t shift = top - kBits;
  return (shift << kBits) + static_cast<std::uint32_t>(ns >> shift);
}

/// Smallest latency in ns of bucket `index`.
/// REQUIRES: index < kBuckets.
[[nodiscard]] constexpr std::uint64_t bucket_low(std::uint32_t index) noexcept {
  if (index < (2U << kBits)) return index;
  const std::uint32_t shift = (index >> kBits) - 1;
  return std::uint64_t{index - (shift << kBits)} << shift;
}

/// Width in ns of bucket `index`.
/// REQUIRES: index < kBuckets.
[[nodiscard]] constexpr std::uint64_t bucket_width(std::uint32_t index) noexcept {
  return index < (2U << kBits) ? 1 : std::uint64_t{1} << ((index >> kBits) - 1);
}

/// Sparse bucket counts, ascending by index, no zero counts.
struct Counts {
  std::vector<std::pair<std::uint32_t, std::uint64_t>> buckets;
  std::uint64_t overflow = 0;  ///< latencies of kLimit ns and more

  /// Linear in the buckets.
  [[nodiscard]] std::uint64_t total() const noexcept;  ///< with overflow
  [[nodiscard]] bool empty() const noexcept { return buckets.empty() && overflow == 0; }
  bool operator==(const Counts&) const = default;
};

/// Adds `from` to `into`; the order of merges does not matter. Both may be the same object. Linear
/// in the buckets of both.
void merge(Counts& into, const Counts& from);

/// Latency in ns that `percent` of `counts` do not exceed: rank = ceil(percent/100 * n), linear
/// inside the bucket (its middle where it holds fewer than 10), clamped to [moments.min,
/// moments.max]. Nothing when `counts` is empty. The rank is exact for `percent` as the decimal
/// that it is written with: 99.9 of 1,000 is the 999th. `moments`: of the same latencies.
/// REQUIRES: 0 <= percent <= 100, a percentage, never a quantile: 0.5 is half a percent.
[[nodiscard]] std::optional<double> percentile(const Counts& counts, const Moments& moments,
                                               double percent);

/// Moments in ns as far as buckets can tell them (midpoints; min and max are bucket edges): for
/// intervals, where exact ones aren't kept. Within half a bucket, exact up to 255 ns; latencies
/// without a bucket count as 2^44 ns.
[[nodiscard]] Moments moments_of(const Counts& counts);

}  // namespace chronio::stats

// recorder.hpp: what a worker records of its I/Os, direction by direction.
#pragma once

#include "stats/histogram.hpp"
#include "stats/moments.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>

namespace chronio::runner {

/// Read, write, trim and one for all kinds of sync.
inline constexpr std::size_t kRecorders = 4;
inline constexpr std::size_t kSyncRecorder = 3;

/// A count with one writer that other threads may read at any time: no locked instruction. Who
/// reads a count also sees what its writer had written before it counted, so that the figures of a
/// worker that hangs can be taken; on x86 that costs nothing.
class LiveCount {
 public:
  void add(std::uint64_t n) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_release);
  }
  void set(std::uint64_t n) noexcept { value_.store(n, std::memory_order_release); }
  [[nodiscard]] std::uint64_t get() const noexcept {
    return value_.load(std::memory_order_acquire);
  }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// One direction. The histograms and the live counts may be read by the coordinator while the
/// worker records; the moments are the worker's own until it has ended.
struct Recorder {
  stats::Histogram clat;  ///< of sync: the whole latency
  std::unique_ptr<stats::Histogram> slat,
      lat;  ///< only where slat_percentiles or lat_percentiles ask
  stats::Moments clat_moments, slat_moments, lat_moments;
  LiveCount ios, bytes, short_ios;
};

/// Counts by depth and batch size, as results::Depths.
struct DepthCounts {
  std::array<std::uint64_t, 7> level = {};
  std::array<std::uint64_t, 7> submit = {};
  std::array<std::uint64_t, 7> complete = {};
  std::uint64_t depth_sum = 0;

  /// [hot] `n` requests went out in one batch, with `depth` outstanding then. REQUIRES: n, depth >
  /// 0.
  void issued(std::uint32_t n, std::uint32_t depth) noexcept {
    const int power = 31 - std::countl_zero(depth);
    level[static_cast<std::size_t>(power < 6 ? power : 6)] += n;
    depth_sum += std::uint64_t{n} * depth;
    ++submit[batch_class(n)];
  }
  /// [hot] `n` completions came back in one reap.
  void reaped(std::uint32_t n) noexcept { ++complete[batch_class(n)]; }

 private:
  /// fio's classes: 0, 1-4, 5-8, 9-16, 17-32, 33-64, more.
  static std::size_t batch_class(std::uint32_t n) noexcept {
    if (n == 0) return 0;
    if (n <= 4) return 1;
    const int power = 32 - std::countl_zero(n - 1);  // 5-8: 3
    return static_cast<std::size_t>(power < 7 ? power - 1 : 6);
  }
};

}  // namespace chronio::runner

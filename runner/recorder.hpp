// recorder.hpp: what a worker records of its I/Os, direction by direction.
#pragma once

#include "results/run.hpp"
#include "stats/histogram.hpp"
#include "stats/latency_moments.hpp"
#include "stats/single_writer.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace chronio::runner {

/// Read, write, trim, in the order of Ddir and of results::Direction, and one for all kinds of
/// sync.
inline constexpr std::size_t kRecorders = 4;
inline constexpr std::size_t kSyncRecorder = 3;

/// A count with one writer that other threads may read at any time: no locked instruction, since a
/// plain load, addition and store of one writer loses nothing. Never falls but by set().
class LiveCount {
 public:
  /// [hot]
  void add(std::uint64_t n) noexcept { stats::add_single_writer(value_, n); }
  /// add(); who then reads the count also sees all that its writer wrote before, so that the
  /// figures of a worker that hangs can be taken.
  void publish(std::uint64_t n) noexcept {
    shared().store(shared().load(std::memory_order_relaxed) + n, std::memory_order_release);
  }
  /// Writer only; a level instead of a sum.
  void set(std::uint64_t n) noexcept { shared().store(n, std::memory_order_relaxed); }
  /// Any thread.
  [[nodiscard]] std::uint64_t get() const noexcept {
    return shared().load(std::memory_order_acquire);
  }

 private:
  [[nodiscard]] std::atomic_ref<std::uint64_t> shared() const noexcept {
    return std::atomic_ref<std::uint64_t>(value_);
  }
  mutable std::uint64_t value_ = 0;  // atomic_ref of C++20 reads no const object
};

/// One direction. The histograms and the live counts may be read by the coordinator while the
/// worker records; the moments are the worker's own until it has ended. Latencies in ns.
struct Recorder {
  stats::Histogram clat;  ///< of sync: the whole latency
  /// Only where slat_percentiles or lat_percentiles ask.
  std::unique_ptr<stats::Histogram> slat, lat;
  bool keeps_more = false;  ///< slat or lat is there
  bool keeps_clat = true;   ///< looked at only where the job measures less than all
  stats::LatencyMoments moments;
  LiveCount ios, bytes, short_ios;
};

/// How many I/Os went out at each depth, and how many calls had batches of each size. Counted as
/// they are, one addition each; fio's classes are made of them at the end. The worker's own.
class DepthCounts {
 public:
  /// [setup] Takes the memory that issued() and reaped() count in. REQUIRES: depths and batches are
  /// at most `iodepth`.
  void make(std::uint32_t iodepth) {
    for (std::vector<std::uint64_t>* counts : {&at_depth_, &submitted_, &reaped_})
      counts->assign(iodepth + 1, 0);
  }

  /// [hot] `n` requests went out in one batch, with `depth` outstanding then.
  void issued(std::uint32_t n, std::uint32_t depth) noexcept {
    at_depth_[depth] += n;
    ++submitted_[n];
  }
  /// [hot] One was done inside the queue call, with `depth` outstanding then, itself included.
  void done_at_once(std::uint32_t depth) noexcept { ++at_depth_[depth]; }
  /// [hot] `n` completions came back in one reap.
  void reaped(std::uint32_t n) noexcept { ++reaped_[n]; }

  /// The same by fio's classes, with the exact sum of the depths.
  [[nodiscard]] results::Depths summary() const;

 private:
  std::vector<std::uint64_t> at_depth_, submitted_, reaped_;
};

}  // namespace chronio::runner

// calibration.hpp: the clusters of a process over time, and the rates that follow from them.
#pragma once

#include "clock/cluster.hpp"
#include "clock/rate.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace chronio::clock {

/// Keeps at most kMostPoints however long the run is: when full, every second point goes, and from
/// then on only every second call is a point.
class Calibration {
 public:
  /// A fit looks at every pair of points, 8,128 of so many.
  static constexpr std::size_t kMostPoints = 128;
  /// Clusters at the start and at the end of a fit: so many that one bad one is outvoted.
  static constexpr std::size_t kEndPoints = 3;

  /// The origin is now. `granule_ticks` 0: not known yet, counts as 1.
  /// REQUIRES: a counter of `kind` can be read here.
  explicit Calibration(CounterKind kind, double granule_ticks);

  /// Takes a point (about 25 us) whatever the stride.
  void take();
  /// Takes kEndPoints of them.
  void take_end();
  /// Takes a point if it is one of those to be kept. How often that is halves each time that points
  /// were thinned out, so those that are kept stay about evenly spaced however long it goes on.
  void take_regular();

  /// The rate by all points that are kept; nothing as fit_rate() has it.
  [[nodiscard]] std::optional<RateFit> fit() const;
  /// Rate of CLOCK_MONOTONIC against CLOCK_MONOTONIC_RAW in parts per billion; 0 within the first
  /// 0.1 s.
  [[nodiscard]] double mono_vs_raw_ppb() const;
  /// Offset of the newest kEndPoints from `fit` in ns. Above 0: the counter is ahead.
  /// REQUIRES: points() > 0.
  [[nodiscard]] double step_ns(const RateFit& fit) const;
  /// Since the origin. By CLOCK_MONOTONIC_RAW.
  [[nodiscard]] std::uint64_t elapsed_ns() const noexcept;
  /// At most kMostPoints.
  [[nodiscard]] std::size_t points() const noexcept { return clusters_.size(); }

 private:
  /// Drops every second point, but for the first kEndPoints.
  void thin();

  CounterKind kind_;
  double granule_ticks_;
  Origin origin_;
  std::vector<Cluster> clusters_;
  /// One for each of clusters_, taken right after it.
  std::vector<MonotonicPoint> monotonic_;
  /// Of take_regular(), each stride_-th of which takes a point.
  std::size_t calls_ = 0;
  std::size_t stride_ = 1;
};

}  // namespace chronio::clock

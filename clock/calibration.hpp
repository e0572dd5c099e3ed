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
  static constexpr std::size_t kMostPoints = 128;
  /// Clusters at the start and at the end of a fit: so many that one bad one is outvoted.
  static constexpr std::size_t kEndPoints = 3;

  /// The origin is now. `granule_ticks` 0: not known yet, counts as 1.
  explicit Calibration(CounterKind kind, double granule_ticks);

  /// Takes a point (about 25 us) whatever the stride.
  void take();
  /// Takes kEndPoints of them.
  void take_end();
  /// Takes a point if it is one of those to be kept.
  void take_regular();

  [[nodiscard]] std::optional<RateFit> fit() const;
  /// 0 within the first 0.1 s.
  [[nodiscard]] double mono_vs_raw_ppb() const;
  /// Offset of the newest kEndPoints from `fit` in ns.
  [[nodiscard]] double step_ns(const RateFit& fit) const;
  /// Since the origin.
  [[nodiscard]] std::uint64_t elapsed_ns() const noexcept;
  [[nodiscard]] std::size_t points() const noexcept { return clusters_.size(); }

 private:
  void thin();

  CounterKind kind_;
  double granule_ticks_;
  Origin origin_;
  std::vector<Cluster> clusters_;
  std::vector<MonotonicPoint> monotonic_;
  std::size_t calls_ = 0;
  std::size_t stride_ = 1;
};

}  // namespace chronio::clock

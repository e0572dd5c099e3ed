// series.hpp: the windows of one event as running sums, and the whole-run total with its interval
// out of them. Constant memory; may run in a signal handler.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace chronio::pmu {

/// Below so many windows an interval says nothing.
inline constexpr std::uint64_t kFewestWindows = 4;

/// What was counted of one event in all its windows.
struct Sums {
  std::uint64_t windows = 0;
  std::uint64_t trigger = 0;  ///< trigger events in these windows
  std::uint64_t counted = 0;
  std::uint64_t ns = 0;  ///< CPU time of these windows
};

/// A whole-run count.
struct Estimate {
  double total = 0;
  /// Half width of the 95 % interval; infinite below kFewestWindows, and where nothing came in
  /// them.
  double half95 = 0;
  double coverage = 0;  ///< share of the trigger's events, or of the time, in which it was counted
};

/// The total of a run is the ratio of what was counted to `scale`, times the scale of the whole
/// run.
class EventSeries {
 public:
  /// [hot] One more window. `scale` is what the estimate is proportional to: trigger events, or ns.
  void add(std::uint64_t scale, std::uint64_t trigger, std::uint64_t counted,
           std::uint64_t ns) noexcept;

  [[nodiscard]] const Sums& sums() const noexcept { return sums_; }

  /// The total of a run with `scale_total` of what add() was given as `scale`; never below what was
  /// counted, and exact at a coverage of 1. The interval is the wider of two: the linearised
  /// variance of a ratio, and the jackknife over blocks, which keeps what neighbouring windows have
  /// in common.
  /// Source: ratio estimators and the correction for a finite population as in William Cochran's
  /// Sampling Techniques, chapter 6; the jackknife is Tukey's.
  [[nodiscard]] Estimate estimate(double scale_total) const noexcept;

 private:
  static constexpr std::size_t kBlocks = 64;

  /// When all blocks are full, neighbours merge and blocks are twice as long from then on.
  void add_to_block(double scale, double counted) noexcept;
  /// Half widths of the rate's interval, before the finite population is allowed for.
  [[nodiscard]] double linearised() const noexcept;
  [[nodiscard]] double jackknifed() const noexcept;

  Sums sums_;
  double scale_ = 0, counted_ = 0;                                    ///< sums
  double scale_scale_ = 0, scale_counted_ = 0, counted_counted_ = 0;  ///< of products
  /// The block that is being filled is the one after these.
  std::size_t full_blocks_ = 0;
  std::uint64_t in_block_ = 0, block_windows_ = 1;
  std::array<double, kBlocks> block_scale_ = {}, block_counted_ = {};
};

/// Student's t for a two-sided 95 % interval, within 1 % from 3 degrees of freedom on; infinite
/// below 1.
[[nodiscard]] double t95(std::uint64_t degrees) noexcept;

}  // namespace chronio::pmu

// burst.hpp: what stamps that crossed from one CPU to another prove about their counters' offset.
// Pure judgement; pair_probe.hpp collects.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

namespace chronio::clock {

/// A reading that one CPU published, and what the other's counter showed once it had seen it. In
/// ticks, each of its own CPU's counter; `seen` was read after the load that brought `stamp`.
struct StampSample {
  std::uint64_t stamp = 0;
  std::uint64_t seen = 0;
};

/// Samples that one CPU took in a row while the other published.
struct Burst {
  /// Least `seen - stamp` in ticks: the reader's counter is ahead of the sender's by no more.
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  bool good = false;      ///< as many samples as wanted in the time that they take when both run
  bool unsteady = false;  ///< the reader's own counter went backwards or stood still
  std::uint32_t inversions = 0;  ///< samples seen at a lower count than that of their stamp
};

/// Judges a burst. `samples`: in the order in which they were taken, each of a stamp that had not
/// been seen before. `good` is what the collector says of them. `bits`: width of the counter, whose
/// wrap is neither an inversion nor a step backwards.
[[nodiscard]] Burst fold(std::span<const StampSample> samples, bool good, unsigned bits);

/// offset = the second CPU's counter minus the first's lies in [least, most] ticks. The defaults
/// are open: a quarter of the range, so that the sum of two ends never overflows.
struct Bounds {
  std::int64_t least = std::numeric_limits<std::int64_t>::min() / 4;
  std::int64_t most = std::numeric_limits<std::int64_t>::max() / 4;
  friend bool operator==(const Bounds&, const Bounds&) = default;
};

/// Collects the bursts of a pair until more would not narrow the bounds.
///
/// Every sample is a proof by itself: a stamp was read before it was seen. Bursts are counted to
/// know that both CPUs really ran at the same time; without that the bounds are true but say
/// nothing.
class PairAnalysis {
 public:
  /// `granule_ticks`: bounds are widened by one, since two counters' steps need not coincide.
  explicit PairAnalysis(double granule_ticks) noexcept;

  /// `second_reads`: stamps of the first CPU seen by the second; `first_reads` the other way. A
  /// burst that is not good still narrows the bounds, but is not counted as evidence.
  void add(const Burst& second_reads, const Burst& first_reads) noexcept;

  /// Three good bursts in a row narrowed the bounds by less than a granule.
  [[nodiscard]] bool plateau() const noexcept { return still_ >= 3; }
  /// Good bursts in both directions: in each, both CPUs ran at the same time.
  [[nodiscard]] std::uint32_t good() const noexcept { return good_; }
  /// Of all bursts in both directions, good or not; also where a constant skew explains them.
  [[nodiscard]] std::uint32_t inversions() const noexcept { return inversions_; }
  /// The counter of the first or second CPU went backwards or stood still.
  [[nodiscard]] bool first_unsteady() const noexcept { return first_unsteady_; }
  [[nodiscard]] bool second_unsteady() const noexcept { return second_unsteady_; }
  /// Proven by the samples and widened by granule(); open where nothing was seen.
  [[nodiscard]] Bounds bounds() const noexcept;
  [[nodiscard]] std::int64_t granule() const noexcept { return granule_; }  ///< ticks, at least 1

 private:
  /// Ticks, rounded up, at least 1: what the steps of two counters may hide on either side.
  std::int64_t granule_;
  /// As seen, without the granule.
  Bounds bounds_;
  std::uint32_t good_ = 0;
  /// Good bursts since the last one that narrowed the bounds by more than a granule.
  std::uint32_t still_ = 0;
  std::uint32_t inversions_ = 0;
  bool first_unsteady_ = false;
  bool second_unsteady_ = false;
};

}  // namespace chronio::clock

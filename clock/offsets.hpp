// offsets.hpp: from bounds between pairs of CPUs to what is certain for all of them. Pure
// judgement.
#pragma once

#include "clock/burst.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace chronio::clock {

/// What the probes of one pair of CPUs gave. `first` and `second` are positions in
/// ProbeRecord::cpus.
struct PairResult {
  std::size_t first = 0;
  std::size_t second = 0;
  Bounds bounds = {};               ///< second's counter minus first's, in ticks
  std::uint32_t interleavings = 0;  ///< how often the probes of both CPUs met
};

/// What was seen of the order of readings: one that was surely taken later must not be lower.
struct Order {
  std::uint64_t loops = 0;         ///< through all CPUs and back to the first
  std::uint64_t inversions = 0;    ///< later readings that were lower
  std::int64_t largest_ticks = 0;  ///< the largest of them; 0 without
};

/// All that was collected between CPUs.
struct ProbeRecord {
  std::vector<int> cpus;
  std::vector<PairResult> pairs;
  Order order;
  /// Pairs whose probes met less often prove nothing to rely on: they may never have run at the
  /// same time.
  std::uint32_t quality = 1;
  std::size_t left_out = 0;   ///< CPUs that were not probed, beside `cpus`
  std::vector<int> unsteady;  ///< CPUs whose own counter went backwards or stood still
  double wall_ms = 0;
};

/// Adds `more`, a later record of some of the same CPUs. REQUIRES: all of more.cpus are in
/// `record`.
void merge(ProbeRecord& record, const ProbeRecord& more);

/// Two CPUs whose counters are proven to differ.
struct Skew {
  int first_cpu = 0;
  int second_cpu = 0;
  std::int64_t at_least_ticks = 0;  ///< above 0
};

/// Bounds between all CPUs, each as tight as any chain of pairs makes it (shortest paths over the
/// difference bounds), so that a pair without evidence of its own may still be bounded.
class OffsetMatrix {
 public:
  explicit OffsetMatrix(std::size_t cpus);

  /// The offset of `second` against `first` lies in `bounds`, too.
  void add(std::size_t first, std::size_t second, const Bounds& bounds);
  /// REQUIRES: `other` is of as many CPUs.
  void add(const OffsetMatrix& other);

  /// Tightens all bounds; cubic in the CPUs. False when they contradict each other: then the
  /// counters were not at constant offsets.
  [[nodiscard]] bool close();

  /// Largest offset that any two CPUs may have, in ticks; nothing when some pair has no bound.
  /// REQUIRES: close() was true.
  [[nodiscard]] std::optional<std::int64_t> certified() const;

  [[nodiscard]] std::size_t cpus() const noexcept { return cpus_; }
  /// The bounds of `second` minus `first`.
  [[nodiscard]] Bounds at(std::size_t first, std::size_t second) const;

 private:
  /// Bounds of `first` by the chains through `via`.
  void tighten(std::size_t first, std::size_t via);
  [[nodiscard]] std::int64_t& most(std::size_t first, std::size_t second);
  [[nodiscard]] std::int64_t most(std::size_t first, std::size_t second) const;

  std::size_t cpus_;
  std::vector<std::int64_t> most_;  ///< [first * cpus_ + second]: second minus first is no more
};

/// What is certain about the counters of all CPUs.
struct OffsetVerdict {
  std::uint32_t pairs_checked = 0;
  std::uint32_t pairs_insufficient = 0;
  std::size_t left_out = 0;  ///< CPUs that were not probed
  bool contradiction = false;
  std::optional<std::int64_t>
      bound_ticks;           ///< 0 for a single CPU; nothing without evidence for all
  std::optional<Skew> skew;  ///< the largest that is proven
  Order order;
  std::vector<int> unsteady;
  OffsetMatrix matrix{0};
};

[[nodiscard]] OffsetVerdict judge(const ProbeRecord& record);

/// Whether two verdicts on the same CPUs, taken at different times, exclude constant offsets: the
/// counters then ran at different rates, or one was set.
[[nodiscard]] bool drifted(const OffsetVerdict& start, const OffsetVerdict& end);

/// No two CPUs' counters moved apart by more ticks between two verdicts on the same CPUs; nothing
/// when some pair has no bound in either.
[[nodiscard]] std::optional<std::int64_t> largest_drift(const OffsetVerdict& start,
                                                        const OffsetVerdict& end);

/// Rounds of disjoint pairs of `cpus` positions, in which every pair meets once: at most `cpus`
/// rounds (the circle method of round-robin tournaments).
struct Meeting {
  std::size_t first = 0;
  std::size_t second = 0;  ///< above first
};
[[nodiscard]] std::vector<std::vector<Meeting>> tournament(std::size_t cpus);

}  // namespace chronio::clock

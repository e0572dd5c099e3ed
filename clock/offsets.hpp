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

/// What was seen of the order of readings: one that was surely taken later must not be lower. A
/// violation is one even where constant offsets explain it.
struct Order {
  std::uint64_t loops = 0;         ///< through all CPUs and back to the first
  std::uint64_t inversions = 0;    ///< later readings that were lower
  std::int64_t largest_ticks = 0;  ///< the largest of them; 0 without
};

/// When something was done, by CLOCK_MONOTONIC_RAW in ns.
struct Span {
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
};

/// All that was collected between CPUs. `pairs` and the matrix made of it count CPUs by their
/// position in `cpus`, from 0; a pair may be missing, and none is in there twice.
struct ProbeRecord {
  std::vector<int> cpus;
  std::vector<PairResult> pairs;
  Order order;
  /// Pairs whose probes met less often prove nothing to rely on: they may never have run at the
  /// same time.
  std::uint32_t quality = 1;
  std::size_t left_out = 0;   ///< CPUs that were not probed, beside `cpus`
  std::vector<int> unsteady;  ///< CPUs whose own counter went backwards or stood still
  Span taken;                 ///< from the first attempt's beginning to the last one's end
};

/// Adds `more`, a later record of some of the same CPUs. Bounds are intersected, interleavings
/// added up.
/// REQUIRES: all of more.cpus are in `record`.
void merge(ProbeRecord& record, const ProbeRecord& more);

/// Two CPUs whose counters are proven to differ. By CPU numbers; which of the two is ahead, the
/// bounds tell.
struct Skew {
  /// The lower position in the record first.
  int first_cpu = 0;
  int second_cpu = 0;
  std::int64_t at_least_ticks = 0;  ///< above 0
};

/// Bounds between all CPUs, each as tight as any chain of pairs makes it (shortest paths over the
/// difference bounds), so that a pair without evidence of its own may still be bounded.
class OffsetMatrix {
 public:
  /// All bounds open, and each CPU at no offset from itself.
  explicit OffsetMatrix(std::size_t cpus);

  /// The offset of `second` against `first` lies in `bounds`, too.
  void add(std::size_t first, std::size_t second, const Bounds& bounds);
  /// What holds in both: the narrower bound of each pair.
  /// REQUIRES: `other` is of as many CPUs.
  void add(const OffsetMatrix& other);

  /// Tightens all bounds; cubic in the CPUs. False when they contradict each other: then the
  /// counters were not at constant offsets. Floyd and Warshall's algorithm; a negative cycle is the
  /// contradiction. 256 CPUs are 17 million steps.
  [[nodiscard]] bool close();

  /// Largest offset that any two CPUs may have, in ticks; nothing when some pair has no bound. It
  /// is the farther end of a bound: an offset of 0 is not assumed to be likelier than any other.
  /// REQUIRES: close() was true.
  [[nodiscard]] std::optional<std::int64_t> certified() const;

  /// How many CPUs; they are numbered from 0 here.
  [[nodiscard]] std::size_t cpus() const noexcept { return cpus_; }
  /// The bounds of `second` minus `first`.
  [[nodiscard]] Bounds at(std::size_t first, std::size_t second) const;

 private:
  /// Bounds of `first` by the chains through `via`.
  void tighten(std::size_t first, std::size_t via);
  /// Ticks that the counter of `second` is ahead of that of `first` by, at most.
  [[nodiscard]] std::int64_t& most(std::size_t first, std::size_t second);
  [[nodiscard]] std::int64_t most(std::size_t first, std::size_t second) const;

  std::size_t cpus_;
  std::vector<std::int64_t> most_;  ///< [first * cpus_ + second]: second minus first is no more
};

/// What is certain about the counters of all CPUs. Pairs below the record's quality went into no
/// bound. With a contradiction there is neither bound nor skew: no offset exists to be bounded.
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
  Span taken;  ///< the record's
  /// Closed, unless there is a contradiction; by positions in the record's `cpus`.
  OffsetMatrix matrix{0};
};

/// Pairs of which a CPU was not probed count as insufficient. Cubic in the CPUs.
[[nodiscard]] OffsetVerdict judge(const ProbeRecord& record);

/// Whether two verdicts on the same CPUs, taken at different times, exclude constant offsets: the
/// counters then ran at different rates, or one was set. False where either contradicts itself,
/// which its own verdict tells.
[[nodiscard]] bool drifted(const OffsetVerdict& start, const OffsetVerdict& end);

/// No two CPUs' counters moved apart by more ticks between two verdicts on the same CPUs; nothing
/// when some pair has no bound in either. Over the time between both, from the end of the earlier
/// record to the beginning of the later one, it bounds the difference of rates: 0.1 us after 10 s
/// are 10 ppb.
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

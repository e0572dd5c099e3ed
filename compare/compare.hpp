// compare.hpp: two results side by side, as plain data. What it takes to give a verdict joins it
// here.
#pragma once

#include "results/run.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace chronio::compare {

/// One percentile in both runs. Of clat, in ns.
struct PercentileRow {
  double percent = 0;
  std::optional<double> a_ns,
      b_ns;                     ///< nothing: too few samples beyond it to stand on (fewer than 4)
  bool doubtful = false;        ///< fewer than 30 samples beyond it in either run
  bool within_granule = false;  ///< they differ by less than a step of one of the clocks
  std::optional<double> ratio;  ///< b / a; nothing within a granule, which is no difference
};

/// One direction of one pair of jobs. 0 on the side of a run that did no such I/O.
struct DirectionPair {
  std::string direction;                    ///< "read", "write", "trim"
  double a_iops = 0, b_iops = 0;            ///< I/Os per second
  double a_bandwidth = 0, b_bandwidth = 0;  ///< bytes per second
  double a_mean_ns = 0, b_mean_ns = 0;      ///< clat
  /// Latencies behind mean and percentiles.
  std::uint64_t a_n = 0, b_n = 0;
  /// Ascending, or in the order that was asked for.
  std::vector<PercentileRow> percentiles;
  stats::Counts a_counts, b_counts;  ///< for the overlaid histograms
};

/// A job of each run. Figures are given even where they can't be compared.
struct JobPair {
  /// That of both, or "A / B".
  std::string name;
  std::vector<std::string> differences;  ///< workload keys that differ: "bs: 4k, 8k"
  /// Figures stand beside each other in any case; this says whether to read a ratio into them.
  bool comparable = true;  ///< false when a workload key differs, or one side had errors
  std::vector<DirectionPair> directions;
};

/// Nothing here says that a difference is real: one run on each side can't.
struct Comparison {
  std::vector<JobPair> jobs;
  std::vector<std::string> only_a, only_b;  ///< jobs without a partner
  std::vector<std::string>
      environment;         ///< what differs around the runs: version, kernel, CPU, clock
  bool identical = false;  ///< every count and histogram is the same
};

/// Matches jobs by name, rw, bs and iodepth (then by what is left of these, in that order), never
/// by path. `percent`: which percentiles; empty: p1 to p99.99 as far as both runs have samples.
/// `percent`: from 0 to 100, any order. Results of fio serve as well: without histograms their
/// stated percentiles are taken, where they have the one in question.
[[nodiscard]] Comparison compare(const results::Run& a, const results::Run& b,
                                 const std::vector<double>& percent);

}  // namespace chronio::compare

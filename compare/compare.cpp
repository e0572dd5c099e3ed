// compare.cpp: two results side by side: rates, percentiles, what sets them apart.
#include "compare/compare.hpp"

#include "compare/matching.hpp"
#include "results/figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace chronio::compare {
namespace {

using results::Distribution;
using results::Job;
using results::Run;

constexpr std::array kPercent = {1.0,  5.0,  10.0, 25.0, 50.0,  75.0, 90.0,
                                 95.0, 99.0, 99.5, 99.9, 99.95, 99.99};

// An order-statistic interval of 95 % needs 4 samples beyond the percentile to exist at all; below
// 30 it is too wide to lean on.
constexpr double kFewest = 4;
constexpr double kEnough = 30;

/// Samples beyond a percentile, on its thinner side.
double beyond(std::uint64_t n, double percent) {
  // 1,000 samples leave 1 beyond 99.9; the subtraction alone would leave 0.9999999999999432.
  constexpr double kRounding = 1 + 1e-9;
  return static_cast<double>(n) * std::min(percent, 100 - percent) / 100 * kRounding;
}

std::optional<double> latency(const Distribution& distribution, double percent) {
  // By the same rule for both runs, even if one of them states other percentiles.
  if (!distribution.counts.empty())
    return stats::percentile(distribution.counts, distribution.moments, percent);
  constexpr double kSame = 1e-6;  // what fio's keys are rounded to
  for (const auto& [stated, ns] : distribution.percentiles)
    if (std::abs(stated - percent) < kSame) return static_cast<double>(ns);
  return std::nullopt;
}

PercentileRow row_of(const Distribution& a, const Distribution& b, double percent) {
  PercentileRow row;
  row.percent = percent;
  const double a_beyond = beyond(a.moments.n, percent);
  const double b_beyond = beyond(b.moments.n, percent);
  if (a_beyond >= kFewest) row.a_ns = latency(a, percent);
  if (b_beyond >= kFewest) row.b_ns = latency(b, percent);
  // The side with fewer samples decides how far the ratio is to be trusted.
  row.doubtful = std::min(a_beyond, b_beyond) < kEnough;
  // The counter's granule makes latencies of 0 possible, and no ratio to them.
  if (row.a_ns && row.b_ns && *row.a_ns > 0) row.ratio = *row.b_ns / *row.a_ns;
  return row;
}

std::vector<PercentileRow> rows_of(const Distribution& a, const Distribution& b,
                                   const std::vector<double>& percent) {
  std::vector<PercentileRow> rows;
  if (!percent.empty()) {
    for (const double p : percent) rows.push_back(row_of(a, b, p));
    return rows;
  }
  for (const double p : kPercent) {
    PercentileRow row = row_of(a, b, p);
    // Asked-for percentiles are shown in any case; of ours, those that both runs can stand for.
    if (row.a_ns && row.b_ns) rows.push_back(row);
  }
  return rows;
}

DirectionPair direction_pair(const results::Direction& a, const results::Direction& b,
                             const char* name, const std::vector<double>& percent) {
  DirectionPair pair;
  pair.direction = name;
  pair.a_iops = results::iops(a);
  pair.b_iops = results::iops(b);
  pair.a_bandwidth = results::bandwidth(a);
  pair.b_bandwidth = results::bandwidth(b);
  // From sums, not from buckets: of our own results it is exact.
  pair.a_mean_ns = a.clat.moments.mean();
  pair.b_mean_ns = b.clat.moments.mean();
  pair.a_n = a.clat.moments.n;
  pair.b_n = b.clat.moments.n;
  pair.percentiles = rows_of(a.clat, b.clat, percent);
  pair.a_counts = a.clat.counts;
  pair.b_counts = b.clat.counts;
  return pair;
}

JobPair job_pair(const Job& a, const Job& b, const std::vector<double>& percent) {
  JobPair pair;
  pair.name = a.jobname == b.jobname ? a.jobname : a.jobname + " / " + b.jobname;
  pair.differences = workload_differences(a, b);
  pair.comparable = pair.differences.empty();
  for (std::size_t d = 0; d < results::kDirections; ++d) {
    const results::Direction& in_a = a.directions[d];
    const results::Direction& in_b = b.directions[d];
    // A direction of one run alone is shown: that it is missing is a difference.
    if (in_a.total_ios != 0 || in_b.total_ios != 0)
      pair.directions.push_back(direction_pair(in_a, in_b, results::kDirectionNames[d], percent));
  }
  return pair;
}

/// What was measured, not names or hosts.
bool same_figures(const Job& a, const Job& b) {
  return a.directions == b.directions && a.sync == b.sync;
}

/// Jobs that share a device would tell of it once each.
void append_new(std::vector<std::string>& lines, const std::vector<std::string>& more) {
  for (const std::string& line : more)
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
}

/// No clock shows a difference below its granule, so what looks like one is rounding.
void drop_below_granule(JobPair& pair, double granule_ns) {
  for (DirectionPair& direction : pair.directions)
    for (PercentileRow& row : direction.percentiles) {
      if (!row.a_ns || !row.b_ns || *row.a_ns == *row.b_ns) continue;
      row.within_granule = std::abs(*row.a_ns - *row.b_ns) < granule_ns;
      // Both figures stay: only what would be made of them goes.
      if (row.within_granule) row.ratio.reset();
    }
}

}  // namespace

Comparison compare(const Run& a, const Run& b, const std::vector<double>& percent) {
  const Matching matching = match(a, b);
  Comparison comparison;
  comparison.environment = environment_differences(a, b);
  for (const Job* const job : matching.only_a) comparison.only_a.push_back(job->jobname);
  for (const Job* const job : matching.only_b) comparison.only_b.push_back(job->jobname);
  // Two empty runs are not the same result.
  comparison.identical =
      comparison.only_a.empty() && comparison.only_b.empty() && !matching.pairs.empty();
  // The coarser clock decides what can be seen at all.
  const double granule_ns = std::max(a.clock.granule_ns, b.clock.granule_ns);
  for (const auto& [in_a, in_b] : matching.pairs) {
    comparison.jobs.push_back(job_pair(*in_a, *in_b, percent));
    drop_below_granule(comparison.jobs.back(), granule_ns);
    append_new(comparison.environment, target_differences(*in_a, *in_b));
    comparison.identical = comparison.identical && same_figures(*in_a, *in_b);
  }
  return comparison;
}

}  // namespace chronio::compare

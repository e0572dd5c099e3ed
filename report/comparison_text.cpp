// comparison_text.cpp: two runs side by side, every difference in words.
#include "report/format.hpp"
#include "report/sketch.hpp"
#include "report/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace chronio::report {
namespace {

using compare::Comparison;
using compare::DirectionPair;
using compare::JobPair;

// Columns to the left of a drawn histogram.
constexpr std::size_t kIndent = 4;

/// Which way is good: latencies are better low, rates high.
enum class Better : std::uint8_t { lower, higher };

/// "B takes 2.5 times as long": `ratio` of `side` to the other one.
std::string times(const char* side, double ratio, Better better) {
  // Beyond a million, which only rubbish reaches, the line would be too long.
  const std::string figure = ratio < 1e6 ? significant(ratio, 3) : fmt::format("{:.3g}", ratio);
  return fmt::format("{} {} {} times as {}", side, better == Better::lower ? "takes" : "does",
                     figure, better == Better::lower ? "long" : "much");
}

/// "B is 3.1 % slower"; nothing when one side has no figure. A sentence, because a signed
/// percentage leaves open whether more is better.
std::string difference(double a, double b, Better better) {
  if (a == b) return "equal";
  if (a <= 0 || b <= 0) return {};
  const double ratio = b / a;
  const double percent = std::abs(ratio - 1) * 100;
  // "0.0 % slower" would be a verdict on nothing.
  if (percent < 0.05) return "within 0.05 %";
  // "200 % slower" is read in more than one way.
  if (ratio >= 2) return times("B", ratio, better);
  // "100.0 % faster" would be in no time at all.
  if (ratio < 0.001) return times("A", 1 / ratio, better);
  const bool slower = (ratio > 1) == (better == Better::lower);
  return fmt::format("B is {:.1f} % {}", percent, slower ? "slower" : "faster");
}

std::string row(const std::string& name, const std::string& a, const std::string& b,
                const std::string& words) {
  std::string line = fmt::format("    {:<9}{:>14}{:>14}   {}", name, a, b, words);
  // No spaces at the end of a line: editors and diffs mark them.
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

/// Six figures, so that a small difference is seen; below 10 with decimals.
std::string iops_cell(double iops) {
  return iops < 9.995 ? iops_text(iops) : scaled(iops, 6, Base::si);
}

std::string latency_cell(const std::optional<double>& ns) { return ns ? latency_text(*ns) : "-"; }

/// A difference within the clocks' granule is not given as a figure: it may be all rounding. "~":
/// few samples beyond the percentile.
std::string percentile_row(const compare::PercentileRow& percentile) {
  std::string words;
  if (percentile.a_ns && percentile.b_ns) {
    words = percentile.within_granule
                ? "within the clocks' granule"
                : difference(*percentile.a_ns, *percentile.b_ns, Better::lower);
    if (percentile.doubtful) words += " ~";
  }
  return row("p" + percent_name(percentile.percent), latency_cell(percentile.a_ns),
             latency_cell(percentile.b_ns), words);
}

/// Ends of what both histograms hold, in ns.
std::pair<double, double> range_of(const DirectionPair& pair) {
  double low = HUGE_VAL;
  double high = 0;
  for (const stats::Counts* counts : {&pair.a_counts, &pair.b_counts}) {
    if (counts->buckets.empty()) continue;
    const std::uint32_t last = counts->buckets.back().first;
    low = std::min(low, static_cast<double>(stats::bucket_low(counts->buckets.front().first)));
    high = std::max(high, static_cast<double>(stats::bucket_low(last) + stats::bucket_width(last)));
  }
  return {low, high};
}

/// One axis for both, so that a shift is seen as a shift.
std::string histograms(const DirectionPair& pair, const Terminal& terminal) {
  constexpr std::size_t kRows = 6;
  const auto [low, high] = range_of(pair);
  if (high <= 0) return {};
  const Axis axis = axis_of(low, high, static_cast<std::size_t>(text_width(terminal)) - kIndent);
  std::string out = "    histograms of clat: A alone 'A', B alone 'B', both ':'\n";
  std::vector<std::string> lines =
      overlaid(shares(pair.a_counts, axis), shares(pair.b_counts, axis), kRows);
  lines.push_back(ends_line(axis));
  for (const std::string& line : lines) {
    out += line.empty() ? "\n" : std::string(kIndent, ' ') + line + "\n";
  }
  return out;
}

/// Columns are 14 wide, which leaves the longest sentence beside them its place on 80 columns.
std::string direction_text(const DirectionPair& pair, const Terminal& terminal) {
  std::string out = fmt::format("  {:<11}{:>14}{:>14}\n", pair.direction, "A", "B");
  out += row("IOPS", iops_cell(pair.a_iops), iops_cell(pair.b_iops),
             difference(pair.a_iops, pair.b_iops, Better::higher));
  out += row("BW", rate_text(pair.a_bandwidth, Base::iec), rate_text(pair.b_bandwidth, Base::iec),
             difference(pair.a_bandwidth, pair.b_bandwidth, Better::higher));
  // A mean of nothing would be shown as 0 ns.
  if (pair.a_n > 0 && pair.b_n > 0) {
    out += row("mean", latency_text(pair.a_mean_ns), latency_text(pair.b_mean_ns),
               difference(pair.a_mean_ns, pair.b_mean_ns, Better::lower));
  }
  for (const compare::PercentileRow& percentile : pair.percentiles) {
    out += percentile_row(percentile);
  }
  out += row("samples", fmt::format("{}", pair.a_n), fmt::format("{}", pair.b_n), {});
  return out + histograms(pair, terminal);
}

/// Figures follow even of jobs that are not comparable: the user asked for them, and has read why
/// they prove nothing.
std::string job_pair_text(const JobPair& pair, const Terminal& terminal) {
  const int width = text_width(terminal);
  std::string out = "\n" + wrapped("", printable(pair.name), 2, width);
  for (const std::string& key : pair.differences) {
    const std::string head = pair.comparable ? "  differs: " : "  not comparable: ";
    out += inked(wrapped(head, printable(key), 4, width), Ink::caution, terminal);
  }
  if (!pair.comparable && pair.differences.empty()) {
    out += inked("  not comparable: a run had errors\n", Ink::caution, terminal);
  }
  for (const DirectionPair& direction : pair.directions) {
    out += direction_text(direction, terminal);
  }
  if (pair.directions.empty()) out += "  nothing was measured\n";
  return out;
}

/// Jobs of one side alone are named, or one would miss what fell out of the comparison.
std::string unmatched(const std::vector<std::string>& names, const char* side, int width) {
  std::string out;
  for (const std::string& name : names) {
    out += wrapped(fmt::format("only in {}: ", side), printable(name), 2, width);
  }
  return out;
}

bool any_doubtful(const Comparison& comparison) {
  for (const JobPair& job : comparison.jobs) {
    for (const DirectionPair& direction : job.directions) {
      const auto& rows = direction.percentiles;
      if (std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.doubtful; })) {
        return true;
      }
    }
  }
  return false;
}

/// One run against one run also measures placement, temperature and what else ran. Runs in the
/// order A B B A cancel what drifts evenly.
std::string closing(const Comparison& comparison, int width) {
  if (comparison.identical) {
    return "no difference: every count and every histogram is the same\n";
  }
  if (comparison.jobs.empty()) return "nothing to compare: no job of A has a partner in B\n";
  return wrapped("",
                 "One run against one run is no verdict: the next two may say the opposite. "
                 "Repeat both in turn (A B B A) to learn what differs.",
                 0, width);
}

}  // namespace

std::string comparison_text(const Comparison& comparison, const std::string& name_a,
                            const std::string& name_b, const Terminal& terminal) {
  const int width = text_width(terminal);
  std::string out = "A: " + printable(name_a) + "\nB: " + printable(name_b) + "\n";
  if (!comparison.environment.empty()) out += "\nthe environments differ:\n";
  for (const std::string& line : comparison.environment) {
    out += wrapped("  ", printable(line), 4, width);
  }
  for (const JobPair& pair : comparison.jobs) out += job_pair_text(pair, terminal);
  out += "\n" + unmatched(comparison.only_a, "A", width) + unmatched(comparison.only_b, "B", width);
  if (any_doubtful(comparison)) {
    out += "~ fewer than 30 samples beyond this percentile in A or B\n";
  }
  return out + closing(comparison, width);
}

}  // namespace chronio::report

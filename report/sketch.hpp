// sketch.hpp: histograms drawn with characters on a logarithmic axis of latencies.
#pragma once

#include "stats/counts.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace chronio::report {

/// Logarithmic from `low_ns` to `high_ns` over `columns` columns.
struct Axis {
  double low_ns = 1;
  double high_ns = 2;
  std::size_t columns = 1;

  /// Where `ns` lies, 0 to `columns`; beyond the ends: at the end.
  [[nodiscard]] double position(double ns) const noexcept;
  /// The column that holds `ns`, 0 to columns - 1.
  [[nodiscard]] std::size_t column(double ns) const noexcept;
};

/// An axis that shows [low_ns, high_ns], widened to a factor of 1.2 so that a single value has a
/// middle. REQUIRES: columns >= 1.
[[nodiscard]] Axis axis_of(double low_ns, double high_ns, std::size_t columns);

/// Share of all samples in each column, 0 to 1; a bucket wider than a column is spread evenly.
/// Latencies beyond the last bucket are in the last column. All 0 without samples.
[[nodiscard]] std::vector<double> shares(const stats::Counts& counts, const Axis& axis);

/// `heights` as bars of `rows` lines, top first, the largest as high as all; what is not 0 is
/// always seen. Lines end without spaces. UTF-8 blocks or ASCII.
[[nodiscard]] std::vector<std::string> bars(std::span<const double> heights, std::size_t rows,
                                            bool utf8);

/// Two histograms on one axis: 'A' or 'B' where only that one's bar reaches, ':' where both do.
/// REQUIRES: a and b have the same size.
[[nodiscard]] std::vector<std::string> overlaid(std::span<const double> a,
                                                std::span<const double> b, std::size_t rows);

/// A place on the axis with a name, which is kept short: it stands under a column.
struct Mark {
  double ns = 0;
  std::string name;
};

/// "^p50" under its column for each mark; one that would touch an earlier one is left out.
[[nodiscard]] std::string marks_line(const Axis& axis, std::span<const Mark> marks);

/// The latencies at both ends, as far as they fit.
[[nodiscard]] std::string ends_line(const Axis& axis);

}  // namespace chronio::report

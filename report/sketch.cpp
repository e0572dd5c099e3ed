// sketch.cpp: histograms drawn with characters on a logarithmic axis.
#include "report/sketch.hpp"

#include "report/format.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace chronio::report {
namespace {

// Eighths of a line. ASCII has three steps that look like more and more ink.
constexpr std::array<std::string_view, 9> kBlocks = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<std::string_view, 4> kAscii = {" ", ".", ":", "#"};

/// `heights` in whole steps, the largest being `top`; never 0 for what is not 0. Never 0: the one
/// slow I/O in a million is what a latency histogram is looked at for.
std::vector<std::size_t> steps_of(std::span<const double> heights, double largest,
                                  std::size_t top) {
  std::vector<std::size_t> steps;
  steps.reserve(heights.size());
  for (const double height : heights) {
    const double exact = largest > 0 ? height / largest * static_cast<double>(top) : 0;
    const auto rounded = static_cast<std::size_t>(std::lround(exact));
    steps.push_back(height > 0 ? std::max<std::size_t>(rounded, 1) : 0);
  }
  return steps;
}

double largest_of(std::span<const double> heights) {
  return heights.empty() ? 0 : *std::max_element(heights.begin(), heights.end());
}

std::string without_trailing_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

/// One line of the drawing: `below` steps lie under it. A column that reaches through it is full.
std::string bar_row(std::span<const std::size_t> steps, std::size_t below,
                    std::span<const std::string_view> glyphs) {
  std::string line;
  for (const std::size_t step : steps) {
    line += glyphs[step > below ? std::min(step - below, glyphs.size() - 1) : 0];
  }
  return without_trailing_spaces(std::move(line));
}

/// Writes `text` into `line` at `at` if it fits between spaces there. A space on both sides, or two
/// names would be read as one.
void place(std::string& line, std::size_t at, std::string_view text) {
  if (at + text.size() > line.size()) return;
  const std::size_t from = at == 0 ? 0 : at - 1;
  const std::size_t to = std::min(at + text.size() + 1, line.size());
  if (line.find_first_not_of(' ', from) < to) return;
  line.replace(at, text.size(), text);
}

/// Adds `share` to the columns that bucket `index` covers, to each its part: evenly over the
/// logarithmic axis, not over ns. From 128 ns on a bucket is less than 1 % wide, so that nobody can
/// see the difference.
void spread(std::uint32_t index, double share, const Axis& axis, std::vector<double>& columns) {
  constexpr double kSliver = 1e-6;  // less is the rounding of a bucket's edge that meets a column's
  const auto low = static_cast<double>(stats::bucket_low(index));
  const double from = axis.position(low);
  const double to = axis.position(low + static_cast<double>(stats::bucket_width(index)));
  const std::size_t first = axis.column(low);
  if (to - from < kSliver) {  // all of it beyond an end
    columns[first] += share;
    return;
  }
  for (std::size_t at = first; at < axis.columns && static_cast<double>(at) < to; ++at) {
    const double begin = std::max(from, static_cast<double>(at));
    const double part = (std::min(to, static_cast<double>(at + 1)) - begin) / (to - from);
    if (part > kSliver) columns[at] += share * part;
  }
}

}  // namespace

// Logarithmic: latencies of one device lie between microseconds and seconds, and their ratios
// matter.
double Axis::position(double ns) const noexcept {
  const double clamped = std::clamp(ns, low_ns, high_ns);
  return std::log(clamped / low_ns) / std::log(high_ns / low_ns) * static_cast<double>(columns);
}

std::size_t Axis::column(double ns) const noexcept {
  return std::min(static_cast<std::size_t>(position(ns)), columns - 1);
}

Axis axis_of(double low_ns, double high_ns, std::size_t columns) {
  // Around its geometric middle, which is the middle of a logarithmic axis.
  constexpr double kLeastFactor = 1.2;
  Axis axis;
  axis.columns = columns;
  axis.low_ns = std::max(low_ns, 1.0);
  axis.high_ns = std::max(high_ns, axis.low_ns);
  const double missing = kLeastFactor / (axis.high_ns / axis.low_ns);
  if (missing > 1) {
    axis.low_ns /= std::sqrt(missing);
    axis.high_ns *= std::sqrt(missing);
  }
  return axis;
}

std::vector<double> shares(const stats::Counts& counts, const Axis& axis) {
  std::vector<double> columns(axis.columns, 0.0);
  // Of all samples, those beyond the last bucket too: shares have to add up to 1.
  double total = static_cast<double>(counts.overflow);
  for (const auto& bucket : counts.buckets) total += static_cast<double>(bucket.second);
  if (total <= 0) return columns;
  for (const auto& [index, count] : counts.buckets) {
    spread(index, static_cast<double>(count) / total, axis, columns);
  }
  columns.back() += static_cast<double>(counts.overflow) / total;
  return columns;
}

std::vector<std::string> bars(std::span<const double> heights, std::size_t rows, bool utf8) {
  const std::span<const std::string_view> glyphs =
      utf8 ? std::span<const std::string_view>(kBlocks) : std::span<const std::string_view>(kAscii);
  const std::size_t steps_per_row = glyphs.size() - 1;
  const std::vector<std::size_t> steps =
      steps_of(heights, largest_of(heights), rows * steps_per_row);
  std::vector<std::string> lines;
  for (std::size_t row = rows; row-- > 0;) {
    lines.push_back(bar_row(steps, row * steps_per_row, glyphs));
  }
  return lines;
}

std::vector<std::string> overlaid(std::span<const double> a, std::span<const double> b,
                                  std::size_t rows) {
  // One scale for both: each by its own would make a flat one look as high as a peak.
  const double largest = std::max(largest_of(a), largest_of(b));
  const std::vector<std::size_t> steps_a = steps_of(a, largest, rows);
  const std::vector<std::size_t> steps_b = steps_of(b, largest, rows);
  std::vector<std::string> lines;
  for (std::size_t row = rows; row-- > 0;) {
    std::string line;
    for (std::size_t at = 0; at < steps_a.size(); ++at) {
      const bool in_a = steps_a[at] > row;
      const bool in_b = steps_b[at] > row;
      if (in_a && in_b) {
        line += ':';
      } else if (in_a) {
        line += 'A';
      } else {
        line += in_b ? 'B' : ' ';
      }
    }
    lines.push_back(without_trailing_spaces(std::move(line)));
  }
  return lines;
}

std::string marks_line(const Axis& axis, std::span<const Mark> marks) {
  std::string line(axis.columns, ' ');
  for (const Mark& mark : marks) place(line, axis.column(mark.ns), "^" + mark.name);
  return without_trailing_spaces(std::move(line));
}

std::string ends_line(const Axis& axis) {
  std::string line(axis.columns, ' ');
  const std::string low = latency_text(axis.low_ns);
  const std::string high = latency_text(axis.high_ns);
  place(line, 0, low);
  if (high.size() <= axis.columns) place(line, axis.columns - high.size(), high);
  return without_trailing_spaces(std::move(line));
}

}  // namespace chronio::report

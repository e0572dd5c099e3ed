// recorder.cpp: exact counts of depths and batches to fio's classes.
#include "runner/recorder.hpp"

#include <algorithm>
#include <bit>

namespace chronio::runner {
namespace {

/// Number of the highest bit. REQUIRES: n > 0.
std::size_t log2_of(std::uint64_t n) { return 63 - static_cast<std::size_t>(std::countl_zero(n)); }

/// fio's iodepth_level: 1, 2-3, 4-7, 8-15, 16-31, 32-63, more. REQUIRES: depth > 0.
std::size_t depth_class(std::uint64_t depth) { return std::min<std::size_t>(log2_of(depth), 6); }

/// fio's iodepth_submit and iodepth_complete: 0, 1-4, 5-8, 9-16, 17-32, 33-64, more. A class ends
/// with a power of two here, where a depth's begins with one.
std::size_t batch_class(std::uint64_t n) {
  if (n == 0) return 0;
  if (n <= 4) return 1;
  return std::min<std::size_t>(log2_of(n - 1), 6);
}

}  // namespace

results::Depths DepthCounts::summary() const {
  results::Depths depths;
  for (std::size_t depth = 1; depth < at_depth_.size(); ++depth) {
    depths.level[depth_class(depth)] += at_depth_[depth];
    // From the exact depths: classes would tell the mean to within a factor of two only.
    depths.depth_sum += depth * at_depth_[depth];
  }
  for (std::size_t n = 0; n < submitted_.size(); ++n) {
    depths.submit[batch_class(n)] += submitted_[n];
    depths.complete[batch_class(n)] += reaped_[n];
  }
  return depths;
}

}  // namespace chronio::runner

// series.cpp: sums, blocks and the two variances of a ratio.
#include "pmu/series.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace chronio::pmu {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

}  // namespace

double t95(std::uint64_t degrees) noexcept {
  if (degrees < 1) return kInfinite;
  // From tables: the expansion below is not good enough for so few.
  if (degrees == 1) return 12.706;
  if (degrees == 2) return 4.303;
  const double x = 1 / static_cast<double>(degrees);  // Cornish and Fisher's expansion
  return 1.95996 + x * (2.37227 + x * (2.82250 + x * (2.55585 + x * 1.58954)));
}

void EventSeries::add(std::uint64_t scale, std::uint64_t trigger, std::uint64_t counted,
                      std::uint64_t ns) noexcept {
  ++sums_.windows;
  sums_.trigger += trigger;
  sums_.counted += counted;
  sums_.ns += ns;
  const auto x = static_cast<double>(scale);
  const auto y = static_cast<double>(counted);
  scale_ += x;
  counted_ += y;
  scale_scale_ += x * x;
  scale_counted_ += x * y;
  counted_counted_ += y * y;
  add_to_block(x, y);
}

void EventSeries::add_to_block(double scale, double counted) noexcept {
  // Only when the next window comes: a run that ends here has a whole last block.
  if (in_block_ == block_windows_) {
    ++full_blocks_;
    in_block_ = 0;
  }
  if (full_blocks_ == kBlocks) {  // neighbours merge: half as many blocks of twice the length
    for (std::size_t i = 0; i < kBlocks / 2; ++i) {
      block_scale_[i] = block_scale_[2 * i] + block_scale_[2 * i + 1];
      block_counted_[i] = block_counted_[2 * i] + block_counted_[2 * i + 1];
    }
    std::fill(block_scale_.begin() + kBlocks / 2, block_scale_.end(), 0.0);
    std::fill(block_counted_.begin() + kBlocks / 2, block_counted_.end(), 0.0);
    full_blocks_ = kBlocks / 2;
    // So what neighbours have in common stays inside a block, however many windows there are.
    block_windows_ *= 2;
  }
  block_scale_[full_blocks_] += scale;
  block_counted_[full_blocks_] += counted;
  ++in_block_;
}

double EventSeries::linearised() const noexcept {
  // The sum of (counted - rate * scale)^2 from sums of products: windows are not kept.
  const auto n = static_cast<double>(sums_.windows);
  const double rate = counted_ / scale_;
  const double residuals =
      // Rounding may leave a little less than 0 where the rate is constant.
      std::max(0.0, counted_counted_ - 2 * rate * scale_counted_ + rate * rate * scale_scale_);
  return t95(sums_.windows - 1) * std::sqrt(n * residuals / (n - 1)) / scale_;
}

double EventSeries::jackknifed() const noexcept {
  // A block that is not full yet would weigh as much as the others.
  const std::size_t blocks = full_blocks_ + (in_block_ == block_windows_ ? 1 : 0);
  // Then the linearised variance stands alone.
  if (blocks < kFewestWindows) return 0;
  double scale = 0, counted = 0;
  for (std::size_t i = 0; i < blocks; ++i) {
    scale += block_scale_[i];
    counted += block_counted_[i];
  }
  double mean = 0, squares = 0;  // Welford
  for (std::size_t i = 0; i < blocks; ++i) {
    const double rest = scale - block_scale_[i];
    // All of the scale in one block: leaving it out leaves no rate.
    if (rest <= 0) return 0;
    const double rate = (counted - block_counted_[i]) / rest;
    const double delta = rate - mean;
    mean += delta / static_cast<double>(i + 1);
    squares += delta * (rate - mean);
  }
  const auto n = static_cast<double>(blocks);
  return t95(blocks - 1) * std::sqrt(squares * (n - 1) / n);
}

Estimate EventSeries::estimate(double scale_total) const noexcept {
  Estimate out;
  // No window, or none in which the trigger moved: there is no ratio.
  if (scale_ <= 0 || scale_total <= 0) {
    out.total = counted_;
    out.half95 = kInfinite;
    return out;
  }
  out.coverage = std::min(1.0, scale_ / scale_total);
  // Not below what was counted, even if the run's scale was told too low.
  out.total = counted_ * std::max(1.0, scale_total / scale_);
  if (out.coverage >= 1) return out;  // counted throughout: nothing was estimated
  // Nor where nothing came in any window: all are alike then, but that tells nothing of the others.
  if (sums_.windows < kFewestWindows || sums_.counted == 0) {
    out.half95 = kInfinite;
    return out;
  }
  // Of what was counted there is no doubt: only the rest of the run is estimated.
  out.half95 = std::max(linearised(), jackknifed()) * scale_total * std::sqrt(1 - out.coverage);
  return out;
}

}  // namespace chronio::pmu

// burst.cpp: what a burst of one-way samples proves about two counters.
#include "clock/burst.hpp"

#include "clock/ticks.hpp"

#include <algorithm>
#include <cmath>

namespace chronio::clock {
namespace {

/// So many new stamps take microseconds to arrive, in which every usable counter advances.
constexpr std::size_t kSurelyAdvances = 64;

}  // namespace

Burst fold(std::span<const StampSample> samples, bool good, unsigned bits) {
  Burst burst;
  burst.good = good;
  bool advanced = samples.size() < kSurelyAdvances;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::int64_t crossing = ticks_between(samples[i].stamp, samples[i].seen, bits);
    burst.least = std::min(burst.least, crossing);
    if (crossing < 0) ++burst.inversions;
    if (i == 0) continue;
    const std::int64_t step = ticks_between(samples[i - 1].seen, samples[i].seen, bits);
    if (step < 0) burst.unsteady = true;
    if (step > 0) advanced = true;
  }
  if (!advanced) burst.unsteady = true;
  return burst;
}

PairAnalysis::PairAnalysis(double granule_ticks) noexcept
    : granule_(static_cast<std::int64_t>(std::ceil(std::max(granule_ticks, 1.0)))) {}

void PairAnalysis::add(const Burst& second_reads, const Burst& first_reads) noexcept {
  const std::int64_t width_before = bounds_.most - bounds_.least;
  // Before the look at `good`: a crossing proves what it proves, however long the burst took.
  bounds_.most = std::min(bounds_.most, second_reads.least);
  // Seen the other way round: first - second <= least.
  bounds_.least = std::max(bounds_.least, -first_reads.least);
  inversions_ += first_reads.inversions + second_reads.inversions;
  first_unsteady_ = first_unsteady_ || first_reads.unsteady;
  second_unsteady_ = second_unsteady_ || second_reads.unsteady;
  // One direction alone says nothing of whether both ran.
  if (!second_reads.good || !first_reads.good) return;

  ++good_;
  const bool narrowed = width_before - (bounds_.most - bounds_.least) > granule_;
  still_ = narrowed ? 0 : still_ + 1;
}

Bounds PairAnalysis::bounds() const noexcept {
  const Bounds unknown;
  // An open end stays open: widened, it would look like a bound.
  return {bounds_.least == unknown.least ? unknown.least : bounds_.least - granule_,
          bounds_.most == unknown.most ? unknown.most : bounds_.most + granule_};
}

}  // namespace chronio::clock

// calibration.cpp: collects clusters over time and fits the rate to them.
#include "clock/calibration.hpp"

#include "clock/machine.hpp"

#include <span>

namespace chronio::clock {
namespace {

/// Enough to average the granule away: over 100 ms the median error is 4 ppb with a mean of such
/// clusters and 45 ppb with the best bracket of 16 (AMD EPYC under KVM).
constexpr std::size_t kClusterBrackets = 256;
/// Nothing is computed from this rate, so it may be less exact.
constexpr std::size_t kMonotonicBrackets = 64;

template <class T>
void drop_every_second(std::vector<T>& points, std::size_t from) {
  std::size_t kept = from;
  for (std::size_t i = from; i < points.size(); i += 2) points[kept++] = points[i];
  points.resize(kept);
}

}  // namespace

Calibration::Calibration(CounterKind kind, double granule_ticks)
    : kind_(kind), granule_ticks_(granule_ticks) {
  // Where exactly the origin lies does not matter: it is the same for all clusters.
  const Bracket now = take_brackets(kind, 1).front();
  origin_ = {now.before, now.raw_ns};
  clusters_.reserve(kMostPoints + kEndPoints);
  monotonic_.reserve(kMostPoints + kEndPoints);
}

void Calibration::take() {
  if (clusters_.size() >= kMostPoints) thin();
  const std::vector<Bracket> brackets = take_brackets(kind_, kClusterBrackets);
  const unsigned bits = visit_counter(kind_, [](auto counter) { return decltype(counter)::kBits; });
  clusters_.push_back(average(brackets, origin_, granule_ticks_, bits));
  monotonic_.push_back(take_monotonic_point(origin_, kMonotonicBrackets));
}

void Calibration::take_end() {
  for (std::size_t i = 0; i < kEndPoints; ++i) take();
}

void Calibration::take_regular() {
  if (calls_++ % stride_ == 0) take();
}

std::optional<RateFit> Calibration::fit() const { return fit_rate(clusters_, granule_ticks_); }

double Calibration::mono_vs_raw_ppb() const { return clock::mono_vs_raw_ppb(monotonic_); }

double Calibration::step_ns(const RateFit& fit) const {
  const std::span<const Cluster> all(clusters_);
  return clock::step_ns(fit, all.last(std::min(all.size(), kEndPoints)));
}

std::uint64_t Calibration::elapsed_ns() const noexcept { return raw_ns() - origin_.raw_ns; }

void Calibration::thin() {
  // The clusters of the start stay whole: the rate of a long run hangs on its ends.
  drop_every_second(clusters_, kEndPoints);
  drop_every_second(monotonic_, kEndPoints);
  stride_ *= 2;
}

}  // namespace chronio::clock

// certify.cpp: from ticks to the certificate's ns.
#include "clock/certify.hpp"

#include <algorithm>

namespace chronio::clock {
namespace {

/// More CPUs make more pairs than a person or a result file wants.
constexpr std::size_t kMostListed = 16;

std::vector<PairBound> pair_bounds(const OffsetVerdict& offsets, const std::vector<int>& cpus,
                                   double ns_per_tick) {
  std::vector<PairBound> bounds;
  const OffsetMatrix& matrix = offsets.matrix;
  if (offsets.contradiction || matrix.cpus() > kMostListed) return bounds;
  for (std::size_t first = 0; first < matrix.cpus(); ++first)
    for (std::size_t second = first + 1; second < matrix.cpus(); ++second) {
      const Bounds at = matrix.at(first, second);
      // Half a bound would be read as a whole one.
      if (at.least <= Bounds{}.least || at.most >= Bounds{}.most) continue;
      bounds.push_back({cpus[first], cpus[second], static_cast<double>(at.least) * ns_per_tick,
                        static_cast<double>(at.most) * ns_per_tick});
    }
  return bounds;
}

}  // namespace

const char* name(Method method) noexcept {
  switch (method) {
    case Method::oneway: return "oneway";
    case Method::hop: return "hop";
    case Method::cas: return "cas";
  }
  return "unknown";
}

void certify_decision(const Decision& decision, Certificate& certificate) {
  certificate.source = source_of(decision.kind);
  certificate.read = how_read(decision.kind);
  certificate.verdict = decision.verdict;
  certificate.findings = decision.findings;
}

void certify_counter(const CounterFacts& facts, Certificate& certificate) {
  certificate.read_cost_ns = facts.read_cost_ns;
  certificate.granule_ns = facts.series.granule_ticks * facts.ns_per_tick;
  certificate.stamp_bias_ns = facts.back_to_back.mean * facts.ns_per_tick;
  // Interruptions are out of the mean already; what it lies above the median is what any reading
  // may be late by.
  const double jitter = std::max(0.0, facts.back_to_back.mean - facts.back_to_back.median);
  certificate.uncertainty_ns = {};
  certificate.uncertainty_ns.single = (facts.series.granule_ticks + jitter) * facts.ns_per_tick;
  certificate.hz = 1e9 / facts.ns_per_tick;
  // Stands only until the first fit.
  certificate.hz_method = "one bracket at each end of some 0.1 ms";
}

void certify_kernel_clock(const CounterFacts& facts, Certificate& certificate) {
  certify_counter(facts, certificate);
  certificate.hz = 1e9;
  certificate.hz_ppb = 0;
  certificate.hz_baseline_s = 0;
  certificate.hz_method = "definition";
  certificate.offset_bound_ns = {};
  certificate.offsets.clear();
  certificate.monotone.reset();
  certificate.loops = 0;
}

void certify_rate(const RateFit& fit, double granule_ticks, Certificate& certificate) {
  certificate.hz = fit.hz;
  certificate.hz_ppb = fit.ppb;
  certificate.hz_baseline_s = fit.baseline_s;
  certificate.hz_method = "theil-sen/raw";
  certificate.granule_ns = granule_ticks * 1e9 / fit.hz;
}

void certify_offsets(const OffsetVerdict& offsets, const std::vector<int>& cpus, bool at_end,
                     Certificate& certificate) {
  const double ns_per_tick = 1e9 / certificate.hz;
  std::optional<double>& bound =
      at_end ? certificate.offset_bound_ns.end : certificate.offset_bound_ns.start;
  // That of an earlier comparison says nothing of this one.
  bound.reset();
  if (offsets.bound_ticks) bound = static_cast<double>(*offsets.bound_ticks) * ns_per_tick;
  certificate.offsets = pair_bounds(offsets, cpus, ns_per_tick);
  // Later bounds that do not prove it can't undo it: it held for a part of the run.
  certificate.skew_proven =
      certificate.skew_proven || offsets.skew.has_value() || offsets.contradiction;
  certificate.loops += offsets.order.loops;
  // One inversion disproves the order without any loop; only loops speak for it.
  const bool rises = offsets.order.inversions == 0 && certificate.monotone.value_or(true);
  if (certificate.loops != 0 || !rises) certificate.monotone = rises;
}

void certify_drift(const OffsetVerdict& start, const OffsetVerdict& end, Certificate& certificate) {
  certificate.drift_bound_ppb.reset();
  const std::optional<std::int64_t> drift = largest_drift(start, end);
  if (!drift || end.taken.begin_ns <= start.taken.end_ns) return;
  const double drift_ns = static_cast<double>(*drift) * 1e9 / certificate.hz;
  const auto apart_ns = static_cast<double>(end.taken.begin_ns - start.taken.end_ns);
  certificate.drift_bound_ppb = drift_ns / apart_ns * 1e9;
}

void certify_jobs(std::optional<std::uint64_t> migrated_ios, std::uint64_t negative_deltas,
                  Certificate& certificate) {
  certificate.migrated_ios = migrated_ios;
  certificate.negative_deltas = negative_deltas;
  if (negative_deltas == 0) return;
  // One is enough: an I/O can't be over before it began.
  certificate.verdict = Verdict::suspect;
  certificate.findings.push_back(std::to_string(negative_deltas) +
                                 " latencies came out below zero and are counted as 0 ns");
}

void certify_uncertainty(Certificate& certificate) {
  Uncertainty& uncertainty = certificate.uncertainty_ns;
  const StartEnd<std::optional<double>>& bound = certificate.offset_bound_ns;
  // The granule in ns follows the rate, which may have been fitted since.
  uncertainty.single = std::max(uncertainty.single, certificate.granule_ns);
  // The wider bound: which of the two held when an I/O changed CPUs is not known. And of all that
  // were ever known: I/Os of earlier jobs are as uncertain as before.
  if (bound.start || bound.end)
    uncertainty.single_migrated =
        std::max(uncertainty.single_migrated.value_or(0),
                 uncertainty.single + std::max(bound.start.value_or(0), bound.end.value_or(0)));
  uncertainty.p50_diff_min = certificate.granule_ns;
}

}  // namespace chronio::clock

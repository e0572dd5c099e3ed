// certify.hpp: writes what was found out about the clock into its certificate.
#pragma once

#include "clock/certificate.hpp"
#include "clock/counter.hpp"
#include "clock/gates.hpp"
#include "clock/offsets.hpp"
#include "clock/rate.hpp"
#include "clock/verdict.hpp"

#include <vector>

namespace chronio::clock {

/// Source, reading, verdict, findings. Replaces what an earlier decision had written.
void certify_decision(const Decision& decision, Certificate& certificate);

/// Cost, bias, granule and uncertainty of the counter in use. Ticks become ns by the rough rate of
/// `facts`, so it comes before certify_rate().
void certify_counter(const CounterFacts& facts, Certificate& certificate);

/// The same of a kernel clock, whose rate is its definition. What was known between CPUs of a
/// counter that it replaces is taken away: it is of no stamp.
void certify_kernel_clock(const CounterFacts& facts, Certificate& certificate);

/// A rate that was fitted. The granule follows from ticks once more, by the better rate.
void certify_rate(const RateFit& fit, double granule_ticks, Certificate& certificate);

/// What the probes between `cpus` gave. `at_end`: the end's bound, the start's otherwise. Ticks
/// become ns by certificate.hz. `cpus`: those of the matrix, in its order. Skew and disorder, once
/// proven, stay; loops add up. What `offsets` does not know is not known any more.
void certify_offsets(const OffsetVerdict& offsets, const std::vector<int>& cpus, bool at_end,
                     Certificate& certificate);

/// How far rates may differ by what `end` allows against `start`; not known where either has no
/// bound. The time between both is taken as short as it may have been: which readings made a bound
/// is not known, only when they were taken at the latest, and at the earliest.
void certify_drift(const OffsetVerdict& start, const OffsetVerdict& end, Certificate& certificate);

/// What the jobs met: I/Os that changed CPUs (nothing: not known) and latencies below zero, of
/// which one is enough to make the run suspect. Comes last: certify_decision() would take its
/// finding away again.
void certify_jobs(std::optional<std::uint64_t> migrated_ios, std::uint64_t negative_deltas,
                  Certificate& certificate);

/// Least uncertainties by the granule, the readings' jitter and the larger of the offset bounds.
/// May be called again as bounds become known; what is larger stays.
/// REQUIRES: certify_counter() was called.
void certify_uncertainty(Certificate& certificate);

/// As `--method=` and the certificate spell it.
[[nodiscard]] const char* name(Method method) noexcept;

}  // namespace chronio::clock

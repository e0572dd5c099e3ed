// verdict.hpp: which clock a run gets, and what is to be said about it. Pure judgement of evidence.
#pragma once

#include "clock/certificate.hpp"
#include "clock/gates.hpp"
#include "clock/offsets.hpp"
#include "clock/options.hpp"

#include <optional>
#include <string>
#include <vector>

namespace chronio::clock {

/// What is known at the start. A test fills it by hand: no judgement reads a clock.
struct Evidence {
  Choice choice = Choice::automatic;
  /// Gates the method of runs, oneway, only: the others can't be as narrow.
  std::uint64_t tolerance_ns = 250;
  Method method = Method::oneway;
  Machine machine;
  std::optional<CounterFacts> counter;   ///< nothing: not wanted, or may not be read
  std::optional<OffsetVerdict> offsets;  ///< nothing: not probed
};

/// A counter or a kernel clock, and why. `findings`: whole sentences without a full stop, in the
/// order in which they were found.
struct Decision {
  /// What stamps are read from.
  CounterKind kind = CounterKind::monotonic_raw;
  Verdict verdict = Verdict::fallback;
  std::vector<std::string> findings;
  bool told_skew = false;       ///< a skew within the tolerance is among them,
  bool told_shortfall = false;  ///< or a missing bound: the check after each job would repeat it
};

/// The counter is `ok` only with every gate passed and every two CPUs certified to be within the
/// tolerance. Proof against it means the kernel's clock; a mere lack of evidence between CPUs means
/// `insufficient`: the gates say that the kernel itself keeps time with this counter.
[[nodiscard]] Decision decide(const Evidence& evidence);

/// Whether probes between CPUs can still change what decide() will say. False without a counter,
/// and for one that stands still.
[[nodiscard]] bool wants_probes(const Evidence& evidence);

/// CLOCK_BOOTTIME and CLOCK_MONOTONIC are read one after the other: less is no sleep.
inline constexpr double kLeastSleepNs = 1e6;

/// What is known at the end of a job or of the run beside the start's decision. Each `allowed_` is
/// a magnitude: what is more, either way, is a finding.
struct EndEvidence {
  std::string when = "at the end";  ///< begins the findings
  std::uint64_t tolerance_ns = 250;
  Method method = Method::oneway;
  /// By the rate of the certificate.
  double ns_per_tick = 1;
  /// As at the last look, and now.
  std::string clocksource_start;
  std::string clocksource_end;
  double slept_ns = 0;  ///< since the last look
  double step_ns = 0;   ///< of the newest clusters against the first fit
  double allowed_step_ns = 0;
  double rate_change_ppb = 0;  ///< of the whole run's rate against the first fit's
  double allowed_rate_change_ppb = 1000;
  std::optional<OffsetVerdict> start;  ///< nothing: not probed
  std::optional<OffsetVerdict> end;    ///< nothing: not probed
};

/// Adds to `decision` what the end of the run says: `suspect` when a check failed, `ok` when only
/// the end could certify what the start could not. May be called after every job: `suspect` stays;
/// a skew within the tolerance and a missing bound are told once.
void conclude(const EndEvidence& evidence, Decision& decision);

}  // namespace chronio::clock

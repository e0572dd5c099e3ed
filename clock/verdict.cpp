// verdict.cpp: from findings to a verdict.
#include "clock/verdict.hpp"

#include "clock/text.hpp"

#include <cmath>
#include <limits>

namespace chronio::clock {
namespace {

std::string cpus_text(const std::vector<int>& cpus) {
  std::string text;
  for (const int cpu : cpus) text += (text.empty() ? "" : ", ") + std::to_string(cpu);
  return text;
}

double ns(std::int64_t ticks, double ns_per_tick) {
  return static_cast<double>(ticks) * ns_per_tick;
}

std::string skew_text(const Skew& skew, double ns_per_tick) {
  return "the counters of CPU " + std::to_string(skew.first_cpu) + " and CPU " +
         std::to_string(skew.second_cpu) + " differ by " +
         decimal(ns(skew.at_least_ticks, ns_per_tick)) + " ns or more";
}

/// One sentence for each proof against the counters.
std::vector<std::string> proofs_against(const OffsetVerdict& offsets, double ns_per_tick,
                                        std::uint64_t tolerance_ns) {
  std::vector<std::string> proofs;
  if (!offsets.unsteady.empty()) {
    proofs.push_back("the counter stood still or ran backwards on CPU " +
                     cpus_text(offsets.unsteady));
  }
  if (offsets.contradiction) {
    proofs.emplace_back(
        "the offsets between CPUs contradict each other: the counters do not keep constant "
        "distances");
  }
  // A smaller skew is real as well, but the user's tolerance covers it: decide() tells it beside.
  const auto tolerance = static_cast<double>(tolerance_ns);
  if (offsets.skew && ns(offsets.skew->at_least_ticks, ns_per_tick) > tolerance) {
    proofs.push_back(skew_text(*offsets.skew, ns_per_tick));
  }
  return proofs;
}

/// The other methods' bounds are wide by nature: nothing is asked of them.
std::uint64_t gating_tolerance(Method method, std::uint64_t tolerance_ns) {
  return method == Method::oneway ? tolerance_ns : std::numeric_limits<std::uint64_t>::max();
}

/// The plainest cause first.
std::string why_no_bound(const OffsetVerdict& offsets) {
  if (offsets.left_out > 0) {
    return "the counters of " + std::to_string(offsets.left_out) +
           " CPUs were not compared: there are too many";
  }
  const std::uint32_t pairs = offsets.pairs_checked + offsets.pairs_insufficient;
  if (pairs == 0) return "the kernel does not tell which CPUs this process may use";
  return std::to_string(offsets.pairs_insufficient) + " of " + std::to_string(pairs) +
         " pairs of CPUs could not be compared, because they did not run at the same time";
}

/// Why the offsets are not certified; empty when they are. Proofs against them aside.
std::string shortfall(const OffsetVerdict& offsets, double ns_per_tick,
                      std::uint64_t tolerance_ns) {
  // That is proof, and more than lack of evidence.
  if (offsets.contradiction) return {};
  if (!offsets.bound_ticks) return why_no_bound(offsets);
  const double bound_ns = ns(*offsets.bound_ticks, ns_per_tick);
  if (bound_ns <= static_cast<double>(tolerance_ns)) return {};
  return "the counters of the CPUs are only known to agree within " + decimal(bound_ns) + " ns; " +
         std::to_string(tolerance_ns) + " ns are wanted";
}

/// The kernel's clock, with no findings yet.
Decision kernel_decision(const Evidence& evidence, Verdict verdict) {
  Decision decision;
  decision.kind = kernel_clock(evidence.machine);
  decision.verdict = verdict;
  return decision;
}

void append(std::vector<std::string>& to, std::vector<std::string> more) {
  for (std::string& text : more) to.push_back(std::move(text));
}

/// Nothing was measured of the counter, so nothing is said of it.
Decision decide_asked_kernel(const Evidence& evidence) {
  Decision decision = kernel_decision(evidence, Verdict::forced);
  if (evidence.choice == Choice::gettimeofday) {
    decision.findings.push_back("gettimeofday could be set during the run; " +
                                std::string(how_read(decision.kind)) + " is read instead");
  }
  return decision;
}

/// Lack of evidence at the end is told but does no harm to what the start has certified; evidence
/// at the end makes up for its lack at the start.
void judge_end_offsets(const EndEvidence& evidence, Decision& decision) {
  if (!evidence.end) return;
  std::vector<std::string> proofs =
      proofs_against(*evidence.end, evidence.ns_per_tick, evidence.tolerance_ns);
  // Each comparison may be sound by itself; only both together show drift or a step.
  if (evidence.start && drifted(*evidence.start, *evidence.end)) {
    proofs.emplace_back("the offsets between CPUs exclude those at the start");
  }
  // Told by every check, unlike what follows: each is new evidence.
  if (!proofs.empty()) {
    decision.verdict = Verdict::suspect;
    for (const std::string& proof : proofs)
      decision.findings.push_back(evidence.when + ", " + proof);
    return;
  }
  const auto tell_once = [&](bool& told, const std::string& text) {
    if (!told) decision.findings.push_back(evidence.when + ", " + text);
    told = true;
  };
  if (evidence.end->skew)
    tell_once(decision.told_skew, skew_text(*evidence.end->skew, evidence.ns_per_tick));
  const std::string missing = shortfall(*evidence.end, evidence.ns_per_tick,
                                        gating_tolerance(evidence.method, evidence.tolerance_ns));
  if (!missing.empty()) {
    tell_once(decision.told_shortfall, missing);
  } else if (decision.verdict == Verdict::insufficient) {
    decision.verdict = Verdict::ok;
    decision.findings.emplace_back("later probes certify what those at the start could not");
  }
}

}  // namespace

bool wants_probes(const Evidence& evidence) {
  // A counter that stands still on one CPU has no offset from another; all else that may be wrong
  // with it is told better with the offsets beside it.
  return evidence.counter && !evidence.counter->series.stuck;
}

Decision decide(const Evidence& evidence) {
  const bool asks_kernel =
      evidence.choice == Choice::clock_gettime || evidence.choice == Choice::gettimeofday;
  if (asks_kernel) return decide_asked_kernel(evidence);

  Decision decision = kernel_decision(evidence, Verdict::fallback);
  // Even for who asked for it: it can't be read.
  if (!evidence.counter) {
    decision.findings.push_back(why_unreadable(evidence.machine));
    return decision;
  }
  const double ns_per_tick = evidence.counter->ns_per_tick;
  decision.findings = failed_gates(evidence.machine, *evidence.counter);
  if (evidence.offsets) {
    append(decision.findings,
           proofs_against(*evidence.offsets, ns_per_tick, evidence.tolerance_ns));
  }
  const bool failed = !decision.findings.empty();
  // Who asked for the counter by name gets it, and the findings with it.
  if (failed && evidence.choice == Choice::automatic) return decision;

  // Lack of evidence between CPUs is no reason to leave the counter: the next job may bring it.
  decision.kind = *evidence.machine.counter;
  const std::string missing = shortfall(evidence.offsets.value_or(OffsetVerdict{}), ns_per_tick,
                                        gating_tolerance(evidence.method, evidence.tolerance_ns));
  decision.told_shortfall = !missing.empty();
  if (!missing.empty()) decision.findings.push_back(missing);
  decision.verdict = missing.empty() ? Verdict::ok : Verdict::insufficient;
  // Also where nothing failed: the checks did not choose.
  if (evidence.choice == Choice::cpu) decision.verdict = Verdict::forced;
  if (!failed && evidence.offsets && evidence.offsets->skew) {
    decision.findings.push_back(skew_text(*evidence.offsets->skew, ns_per_tick));
    decision.told_skew = true;
  }
  return decision;
}

void conclude(const EndEvidence& evidence, Decision& decision) {
  judge_end_offsets(evidence, decision);
  const auto suspect = [&](const std::string& finding) {
    decision.verdict = Verdict::suspect;
    decision.findings.push_back(evidence.when + ", " + finding);
  };
  // Of all counters together: between CPUs nothing may be seen of it.
  if (std::abs(evidence.step_ns) > evidence.allowed_step_ns)
    suspect("the counter had moved by " + decimal(evidence.step_ns) +
            " ns against the kernel's clock, more than the " + decimal(evidence.allowed_step_ns) +
            " ns that its rate explains");
  if (std::abs(evidence.rate_change_ppb) > evidence.allowed_rate_change_ppb)
    suspect("the counter's rate had changed by " + decimal(evidence.rate_change_ppb / 1e3, 1) +
            " ppm, as when a virtual machine moves to another host");
  // The kernel leaves a clocksource that its watchdog distrusts; somebody may also have written to
  // sysfs.
  if (evidence.clocksource_start != evidence.clocksource_end)
    suspect("the kernel had changed its clocksource from " + evidence.clocksource_start + " to " +
            evidence.clocksource_end);
  if (evidence.slept_ns > kLeastSleepNs)
    suspect("the machine had slept for " + decimal(evidence.slept_ns / 1e9, 3) +
            " s, which are in the latencies of what was outstanding");
}

}  // namespace chronio::clock

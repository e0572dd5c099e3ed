// clock_details.cpp: a clock's certificate in full, for `chronio clock`.
#include "report/clock_text.hpp"
#include "report/format.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

namespace chronio::report {
namespace {

using clock::Certificate;

/// One part of the certificate: "what         : text".
std::string line(const char* what, const std::string& text, const Terminal& terminal) {
  return wrapped(fmt::format("{:<13}: ", what), text, 15, text_width(terminal));
}

/// Three figures, also below 1 ns, where latency_text() would round to a whole number.
std::string ns(double value) {
  return glued(value < 999.5 ? significant(value, 3) + " ns" : latency_text(value));
}

/// Two figures: an error is an estimate itself.
std::string ppb(double value) {
  return glued(value < 999.5 ? significant(value, 2) + " ppb"
                             : significant(value / 1e3, 3) + " ppm");
}

std::string ns(const std::optional<double>& value) { return value ? ns(*value) : "not known"; }

/// The frequency with its error, and how the kernel's two clocks differ: NTP slews only one of
/// them.
std::string rate(const Certificate& certificate) {
  std::string text = fmt::format("{:.3f} Hz by {}", certificate.hz, certificate.hz_method);
  if (certificate.hz_baseline_s > 0)
    text += fmt::format(", within {} over {}", ppb(certificate.hz_ppb),
                        glued(duration_text(certificate.hz_baseline_s * 1e9)));
  if (certificate.mono_vs_raw_ppb != 0)
    text += fmt::format("; CLOCK_MONOTONIC runs {} {} than CLOCK_MONOTONIC_RAW",
                        ppb(std::abs(certificate.mono_vs_raw_ppb)),
                        certificate.mono_vs_raw_ppb > 0 ? "faster" : "slower");
  return text;
}

/// Name and words: scripts look for the former.
std::string verdict(clock::Verdict verdict) {
  if (verdict == clock::Verdict::ok) return "ok, every check passed";
  return fmt::format("{}: {}", clock::name(verdict), verdict_text(verdict));
}

/// How the CPUs' counters were held against each other, and how many pairs met too seldom to count.
std::string compared(const Certificate& certificate) {
  if (certificate.method.empty()) return "not compared";
  // With one CPU no method runs; that is no gap in the evidence.
  if (certificate.cpus == 1) return "one CPU, which has nothing to differ from";
  std::string text =
      fmt::format("{} CPUs by {} in {} ms: {}", certificate.cpus, certificate.method,
                  significant(certificate.probe_ms, 2), counted(certificate.pairs_checked, "pair"));
  if (certificate.pairs_insufficient != 0)
    text += fmt::format(", {} with too few meetings", certificate.pairs_insufficient);
  return text;
}

/// In capitals what makes the clock useless: nobody reads a certificate line by line.
std::string order(const Certificate& certificate) {
  if (!certificate.monotone) return "not known: no loop through all CPUs was complete";
  return fmt::format(
      "{} in {} through all CPUs",
      *certificate.monotone ? "no later reading was lower" : "LATER READINGS WERE LOWER",
      counted(certificate.loops, "loop"));
}

/// The larger end of each pair's bounds, in the first unit in which three figures hold them all.
std::string matrix(const Certificate& certificate) {
  std::set<int> cpus;
  // Offsets are stored once for a pair; the matrix shows it on both sides of the diagonal.
  std::map<std::pair<int, int>, double> bounds;
  double largest = 0;
  for (const clock::PairBound& pair : certificate.offsets) {
    cpus.insert({pair.first, pair.second});
    const double bound = std::max(std::abs(pair.least_ns), std::abs(pair.most_ns));
    bounds[std::minmax(pair.first, pair.second)] = bound;
    largest = std::max(largest, bound);
  }
  if (cpus.empty()) return {};
  constexpr std::array<std::pair<const char*, double>, 4> kUnits = {
      {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};
  const auto* unit = kUnits.begin();
  // As they are shown: rounding up may need a fourth figure.
  while (unit + 1 != kUnits.end() && std::ceil(largest / unit->second) > 999) ++unit;
  std::string out = fmt::format("\nlargest offset between CPUs in {}:\n   CPU", unit->first);
  for (const int cpu : cpus) out += fmt::format(" {:>3}", cpu);
  for (const int row : cpus) {
    out += fmt::format("\n  {:>4}", row);
    for (const int column : cpus) {
      const auto at = bounds.find(std::minmax(row, column));
      out += at == bounds.end() ? "   -"
                                // Rounded up: a bound that was rounded down would not hold.
                                : fmt::format(" {:>3.0f}", std::ceil(at->second / unit->second));
    }
  }
  return out + "\n";
}

}  // namespace

std::string clock_details(const Certificate& certificate, const Terminal& terminal) {
  const auto& bound = certificate.offset_bound_ns;
  std::string out = line("verdict", verdict(certificate.verdict), terminal);
  out += findings_text(certificate, terminal);
  out += line(
      "source",
      fmt::format("{}, read by {}", clock::name(certificate.source), printable(certificate.read)),
      terminal);
  out += line("reading",
              fmt::format("costs {}, two in a row differ by {}", ns(certificate.read_cost_ns),
                          ns(certificate.stamp_bias_ns)),
              terminal);
  out += line("granule",
              fmt::format("{}: no smaller difference means anything", ns(certificate.granule_ns)),
              terminal);
  out += line("uncertainty",
              fmt::format("{} of one latency, {} if its I/O changed CPUs",
                          ns(certificate.uncertainty_ns.single),
                          ns(certificate.uncertainty_ns.single_migrated)),
              terminal);
  out += line("rate", rate(certificate), terminal);
  out += line("compared", compared(certificate), terminal);
  out += line("offset bound",
              fmt::format("{} at the start, {} at the end{}", ns(bound.start), ns(bound.end),
                          certificate.skew_proven ? "; A SKEW IS PROVEN" : ""),
              terminal);
  out += line("order", order(certificate), terminal);
  if (certificate.drift_bound_ppb)
    out +=
        line("drift bound", ppb(*certificate.drift_bound_ppb) + " between any two CPUs", terminal);
  out += line("kernel",
              fmt::format("clocksource {}{}", certificate.kernel_clocksource.end,
                          certificate.suspend ? "; the machine slept" : ""),
              terminal);
  return out + matrix(certificate);
}

}  // namespace chronio::report

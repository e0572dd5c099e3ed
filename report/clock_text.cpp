// clock_text.cpp: a clock's certificate in words.
#include "report/clock_text.hpp"

#include "report/format.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string_view>

namespace chronio::report {
namespace {

using clock::Certificate;
using clock::Verdict;

bool is_counter(clock::Source source) {
  return source == clock::Source::tsc || source == clock::Source::arm_counter;
}

/// The kernel's clocks tick in ns: only a counter's rate says anything.
std::string rate(const Certificate& certificate, const Terminal& terminal) {
  if (certificate.hz <= 0 || !is_counter(certificate.source)) return {};
  std::string text = " " + glued(fmt::format("{:.1f} MHz", certificate.hz / 1e6));
  if (certificate.hz_ppb > 0) {
    text += " " + glued((terminal.utf8 ? "±" : "+-") + significant(certificate.hz_ppb, 2) + " ppb");
  }
  if (certificate.hz_baseline_s > 0) {
    text += " over " + glued(duration_text(certificate.hz_baseline_s * 1e9));
  }
  return text;
}

/// " 17.6 ns": costs and steps keep a decimal that latency_text would drop.
std::string nanoseconds(double ns) { return " " + glued(significant(ns, 3) + " ns"); }

/// One bound for the run: the larger of both ends. Where one is missing the line says which it is
/// of.
std::string offset(const Certificate& certificate) {
  const auto& [start, end] = certificate.offset_bound_ns;
  if (!start && !end) return {};
  std::string text = fmt::format(", {} CPUs within", certificate.cpus) +
                     nanoseconds(std::max(start.value_or(0), end.value_or(0)));
  if (!end) text += " at start";
  if (!start) text += " at the end";
  return text;
}

/// In capitals what should not be overlooked in a line that is the same on all other days.
std::string_view words(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok: return "ok";
    case Verdict::fallback: return "the kernel's clock, because the counter can't be used";
    case Verdict::forced: return "chosen by the user";
    case Verdict::suspect: return "SUSPECT: a check at the end of the run failed";
    case Verdict::insufficient: return "used, though CPUs could not be compared well enough";
  }
  return "unknown";
}

}  // namespace

std::string findings_text(const Certificate& certificate, const Terminal& terminal) {
  std::string out;
  for (const std::string& finding : certificate.findings)
    out += inked(wrapped("  finding: ", printable(finding), 11, text_width(terminal)), Ink::caution,
                 terminal);
  return out;
}

std::string verdict_text(Verdict verdict) { return std::string(words(verdict)); }

/// What is 0 was not measured, and is left out.
std::string clock_text(const Certificate& certificate, const Terminal& terminal) {
  const int width = text_width(terminal);
  std::string text = clock::name(certificate.source) + rate(certificate, terminal);
  if (!certificate.read.empty()) text += ", " + printable(certificate.read);
  if (certificate.read_cost_ns > 0) text += nanoseconds(certificate.read_cost_ns);
  if (certificate.granule_ns > 0) text += ", granule" + nanoseconds(certificate.granule_ns);
  text += offset(certificate);
  if (certificate.negative_deltas > 0) {
    text += ", " + counted(certificate.negative_deltas, "time") + " below zero counted as" +
            nanoseconds(0);
  }
  text += fmt::format(": {}", words(certificate.verdict));
  std::string out = wrapped("clock: ", text, 7, width);
  if (certificate.verdict == Verdict::suspect) out = inked(out, Ink::alarm, terminal);
  out += findings_text(certificate, terminal);
  return out;
}

}  // namespace chronio::report

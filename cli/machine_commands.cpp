// machine_commands.cpp: clock and pmu: what this machine can measure with.
#include "cli/commands.hpp"
#include "clock/timebase.hpp"
#include "pmu/probe.hpp"
#include "report/clock_text.hpp"
#include "results/output.hpp"

#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace chronio::cli {

int clock_command(const Words& words) {
  if (!words.empty()) {
    fmt::print(stderr, "usage: chronio clock\n");
    return kNoWork;
  }
  clock::Timebase timebase = clock::Timebase::init({});
  timebase.calibrated();
  timebase.finish();
  const clock::Certificate& certificate = timebase.certificate();
  results::write_stdout(report::clock_text(certificate, report::terminal_of(STDOUT_FILENO)));
  return certificate.verdict == clock::Verdict::ok ? kDone : kFailed;
}

int pmu_command(const Words& words) {
  if (!words.empty()) {
    fmt::print(stderr, "usage: chronio pmu\n");
    return kNoWork;
  }
  std::string out;
  for (const pmu::EventStatus& event : pmu::probe_events())
    out += fmt::format("{:<24}{}\n", event.name,
                       !event.available  ? event.reason
                       : event.user_only ? "user mode only"
                                         : "can be counted");
  results::write_stdout(out);
  return kDone;
}

}  // namespace chronio::cli

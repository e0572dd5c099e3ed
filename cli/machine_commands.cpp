// machine_commands.cpp: clock and pmu: what this machine can measure with.
#include "cli/clock_options.hpp"
#include "cli/commands.hpp"
#include "clock/affinity.hpp"
#include "clock/certify.hpp"
#include "clock/timebase.hpp"
#include "jobs/values.hpp"
#include "pmu/probe.hpp"
#include "report/clock_text.hpp"
#include "report/pmu_text.hpp"
#include "results/json.hpp"
#include "results/output.hpp"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace chronio::cli {

namespace {

/// What the command line asks of `chronio clock`; good only while `error` is empty.
struct ClockCall {
  ClockRequest request;
  bool json = false;
  std::string error;  ///< what is wrong with the call, and what would be right
};

void set_method(const std::string& value, ClockCall& call) {
  using clock::Method;
  for (const Method method : {Method::oneway, Method::hop, Method::cas})
    if (value == clock::name(method)) {
      call.request.options.method = method;
      return;
    }
  call.error = fmt::format("method={}: one of oneway, hop, cas", value);
}

/// "0-3,7"; CPUs that the process may not use are named.
void set_cpus(const std::string& value, ClockCall& call) {
  jobs::Job job;
  // By the row of cpus_allowed: one grammar for lists of CPUs.
  const jobs::Applied applied = jobs::apply(*jobs::find_option("cpus_allowed"), value, false, job);
  if (!applied.error.empty() || job.cpus_allowed.empty()) {
    call.error = fmt::format("cpus={}: {}", value,
                             applied.error.empty() ? "a list such as 0-3,7" : applied.error);
    return;
  }
  const std::vector<int> allowed = clock::allowed_cpus();
  for (const std::uint32_t cpu : job.cpus_allowed) {
    const int number = static_cast<int>(cpu);
    if (std::find(allowed.begin(), allowed.end(), number) == allowed.end())
      // Asked for by name, so not left out in silence, as a run leaves out what it may not use.
      call.error = fmt::format("cpus={}: this process may not use CPU {}", value, cpu);
    call.request.options.cpus.push_back(number);
  }
}

void set_format(const std::string& value, ClockCall& call) {
  call.json = value == "json" || value == "json+";
  if (!call.json && value != "normal")
    call.error = fmt::format("output-format={}: normal or json", value);
}

ClockCall read_clock_call(const Words& words) {
  ClockCall call;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (key == "--method")
      set_method(value, call);
    else if (key == "--cpus")
      set_cpus(value, call);
    else if (key == "--output-format")
      set_format(value, call);
    else if (!key.starts_with("--") ||
             !take_clock_option(key.substr(2), value, call.request, call.error))
      call.error = fmt::format("{}: no such option", word);
    if (!call.error.empty()) break;
  }
  return call;
}

/// Whether the check came out well. The tolerance is for the method of runs alone: of the others'
/// wide bounds only a disproof counts.
bool passed(const clock::Certificate& certificate, clock::Method method) {
  if (method == clock::Method::oneway) return certificate.verdict == clock::Verdict::ok;
  return !certificate.skew_proven && certificate.monotone.value_or(true) &&
         certificate.verdict != clock::Verdict::suspect;
}

}  // namespace

int clock_command(const Words& words) {
  const ClockCall call = read_clock_call(words);
  if (!call.error.empty()) throw UsageError(call.error);
  clock::Timebase timebase = clock::Timebase::init(call.request.options);
  // All that a run does with its clock, without the run between: the checks at the end follow at
  // once.
  timebase.calibrated();
  timebase.finish();
  const clock::Certificate& certificate = timebase.certificate();
  results::write_stdout(
      call.json ? results::clock_json(certificate)
                : report::clock_details(certificate, report::terminal_of(STDOUT_FILENO)));
  return passed(certificate, call.request.options.method) ? kDone : kFailed;
}

int pmu_command(const Words& words) {
  const bool json = words.size() == 1 && words[0] == "--output-format=json";
  if (!words.empty() && !json && words[0] != "--output-format=normal")
    throw UsageError(fmt::format("{}: no such option", words[0]));
  // That nothing can be counted is an answer, not a failure.
  const pmu::Capabilities found = pmu::probe_capabilities();
  results::write_stdout(json
                            ? results::to_json(found)
                            : report::capabilities_text(found, report::terminal_of(STDOUT_FILENO)));
  return kDone;
}

}  // namespace chronio::cli

// run_command.cpp: a run from command line to exit code.
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/tell.hpp"
#include "clock/timebase.hpp"
#include "jobs/options.hpp"
#include "report/clock_text.hpp"
#include "report/live.hpp"
#include "report/text.hpp"
#include "results/host.hpp"
#include "results/json.hpp"
#include "results/output.hpp"
#include "runner/run.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>
#include <unistd.h>

namespace chronio::cli {
namespace {

/// Stalls are told even when no live line is wanted. shows() says no, so the coordinator takes no
/// snapshots for a line that nobody wants.
class OnlyStalls final : public runner::Observer {
 public:
  explicit OnlyStalls(runner::Observer& all) : all_(all) {}
  [[nodiscard]] bool shows(std::uint64_t) const override { return false; }
  void progress(const runner::Progress&) override {}
  void stalled(const runner::Stall& stall) override { all_.stalled(stall); }
  void group_done() override {}

 private:
  runner::Observer& all_;
};

/// True when the run has to be called off. Tells them all, whatever comes of it.
bool refused(const std::vector<jobs::Diagnostic>& diagnostics, const Arguments& arguments) {
  tell_each(diagnostics);
  const bool warned = std::any_of(diagnostics.begin(), diagnostics.end(), [](const auto& d) {
    return d.severity == jobs::Severity::warning;
  });
  return jobs::has_errors(diagnostics) || (arguments.warnings_fatal && warned);
}

/// jobs and clock know nothing of each other; here they meet.
clock::Choice choice_of(jobs::ClockSource source) {
  switch (source) {
    case jobs::ClockSource::automatic: return clock::Choice::automatic;
    case jobs::ClockSource::cpu: return clock::Choice::cpu;
    case jobs::ClockSource::clock_gettime: return clock::Choice::clock_gettime;
    case jobs::ClockSource::gettimeofday: return clock::Choice::gettimeofday;
  }
  return clock::Choice::automatic;
}

/// Where the results of this call go, checked before the first I/O.
struct Outputs {
  std::optional<results::Output> report, json;
};

/// Throws OutputError for what can't be written, before an hour of I/O is done for it.
Outputs open_outputs(const Arguments& arguments, const std::vector<std::string>& targets) {
  if (!arguments.json.empty() && arguments.json == arguments.output)
    throw results::OutputError(fmt::format(
        "--output and --json both name {}: name two files, or use --output-format=json+",
        arguments.json));
  Outputs outputs;
  if (!arguments.output.empty()) outputs.report.emplace(arguments.output, targets);
  if (!arguments.json.empty()) outputs.json.emplace(arguments.json, targets);
  return outputs;
}

/// The report in the formats asked for, one after the other, as fio writes them. A file gets
/// neither colours nor UTF-8 blocks: nobody knows where it will be read.
std::string render(const results::Run& run, const Arguments& arguments) {
  const auto wants = [&](const char* format) {
    return std::find(arguments.output_format.begin(), arguments.output_format.end(), format) !=
           arguments.output_format.end();
  };
  const report::Terminal terminal =
      arguments.output.empty() ? report::terminal_of(STDOUT_FILENO) : report::Terminal{};
  std::string text;
  if (wants("normal")) text += report::run_text(run, terminal);
  // One document for both, json+ being a superset: two would be no JSON in one file.
  if (wants("json") || wants("json+")) text += results::to_json(run, wants("json+"));
  return text;
}

bool print_result(const std::string& text) {
  try {
    results::write_stdout(text);
    return true;
  } catch (const results::OutputError& failure) {
    tell("chronio: {}\n", failure.what());
    return false;
  }
}

/// Writes to `output`, or to standard output when that fails: a result is not thrown away. False
/// when it was not written where it should be, though it was shown.
bool deliver(const std::optional<results::Output>& output, const std::string& text) {
  if (!output) return print_result(text);
  try {
    output->write(text);
    return true;
  } catch (const results::OutputError& failure) {
    tell("chronio: {}; the result follows on standard output\n", failure.what());
    print_result(text);
    return false;
  }
}

/// On stderr, at once: a report may go to a file, and its errors stand far down in it.
void tell_failures(const results::Run& run) {
  for (const results::Job& job : run.jobs)
    for (const results::IoError& error : job.errors) {
      // A failed open has no length. Nor has a sync, but it is an I/O.
      const bool is_io = error.length != 0 || error.operation == "fsync";
      tell("chronio: job {}: {} of {}{}: {}\n", job.jobname, error.operation, error.path,
           is_io ? fmt::format(" at offset {}, {} bytes", error.offset, error.length) : "",
           error.text);
    }
}

/// The report has the clock's findings, but it may go to a file that nobody reads.
void tell_clock(const clock::Certificate& certificate) {
  // `forced` was the user's choice, who needs no reminder at each run.
  if (certificate.verdict == clock::Verdict::ok || certificate.verdict == clock::Verdict::forced)
    return;
  tell("chronio: clock: {}\n", report::verdict_text(certificate.verdict));
  for (const std::string& finding : certificate.findings) tell("chronio: clock: {}\n", finding);
}

/// For --clock-strict: a kernel clock that the user chose is what was wanted.
bool is_sound(const clock::Certificate& certificate) {
  const bool kernel = certificate.source == clock::Source::monotonic_raw ||
                      certificate.source == clock::Source::monotonic;
  return certificate.verdict == clock::Verdict::ok ||
         (certificate.verdict == clock::Verdict::forced &&
          (kernel || certificate.findings.empty()));
}

/// What the user wrote in [global] sections, as fio's "global options" has it.
std::vector<results::Option> option_list(const std::vector<jobs::Setting>& settings) {
  std::vector<results::Option> options;
  options.reserve(settings.size());
  for (const jobs::Setting& setting : settings)
    options.push_back({setting.key, setting.value, runner::origin_of(&setting)});
  return options;
}

/// From a plan without errors to the exit code.
int execute(runner::Plan& plan, const Arguments& arguments, results::Run about) {
  // First of all: a signal is blocked for this thread and for all that it starts.
  runner::Signals signals;
  // Before the clock, whose checks take their time: a mistake in a path is told at once.
  const Outputs outputs = open_outputs(arguments, runner::target_paths(plan));
  clock::Options clock_options = arguments.clock.options;
  clock_options.choice = choice_of(plan.clocksource);
  clock::Timebase timebase = clock::Timebase::init(clock_options);
  report::Terminal terminal = report::terminal_of(STDERR_FILENO);
  // For a terminal that isatty(3) does not see, as behind a pipe that is shown on one.
  if (arguments.eta == "always") terminal.tty = true;
  report::LiveLine live(stderr, terminal);
  OnlyStalls quiet(live);
  runner::Observer& observer =
      arguments.eta == "never" ? static_cast<runner::Observer&>(quiet) : live;
  runner::Outcome outcome = runner::run(plan, timebase, signals, observer);
  results::Run& run = outcome.run;
  run.version = about.version;
  run.command_line = std::move(about.command_line);
  run.global_options = std::move(about.global_options);
  run.host = results::this_host();
  // Before the result is written: were that to fail, these would be all that is left.
  tell_failures(run);
  tell_clock(run.clock);
  bool written = deliver(outputs.report, render(run, arguments));
  if (outputs.json) written = deliver(outputs.json, results::to_json(run, true)) && written;
  const bool sound = !arguments.clock.strict || is_sound(run.clock);
  const int code = run.complete && written && sound ? kDone : kFailed;
  // Workers still wait for I/O that may write into their buffers: no destructor may run.
  if (outcome.abandoned) ::_exit(code);
  return code;
}

}  // namespace

int run_command(const Words& words, const Words& command_line) {
  Arguments arguments = read_arguments(words, jobs::real_world());
  if (!arguments.names_work && arguments.diagnostics.empty()) {
    tell("chronio: nothing to run: name a job file, or a job by --name=; see --help\n");
    return kNoWork;
  }
  jobs::Resolved resolved = jobs::resolve(arguments.sections);
  std::move(resolved.diagnostics.begin(), resolved.diagnostics.end(),
            std::back_inserter(arguments.diagnostics));
  // Engine options are judged by the plan, which is not made of jobs with mistakes: asked here, so
  // that a file's mistakes are told in one go.
  if (jobs::has_errors(arguments.diagnostics))
    for (jobs::Diagnostic& diagnostic : runner::unknown_options(resolved.jobs))
      arguments.diagnostics.push_back(std::move(diagnostic));
  // Twice: a plan is made of jobs that make sense, and finds what only targets and engines can
  // tell.
  if (refused(arguments.diagnostics, arguments)) return kFailed;
  runner::RunOptions options;
  options.policy = {arguments.readonly, arguments.allow_destroy};
  options.max_jobs = arguments.max_jobs;
  runner::Plan plan = runner::make_plan(std::move(resolved.jobs), options);
  if (refused(plan.diagnostics, arguments)) return kFailed;
  if (arguments.parse_only) return kDone;
  results::Run about;
  about.version = CHRONIO_VERSION;
  about.command_line = command_line;
  about.global_options = option_list(resolved.global_options);
  return execute(plan, arguments, std::move(about));
}

}  // namespace chronio::cli

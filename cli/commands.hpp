// commands.hpp: the subcommands. Each takes the words after its name and returns the exit code.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace chronio::cli {

/// Exit codes: what main returns. 3 stays free for a verdict of `compare`.
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;  ///< wrong input, an I/O error, a run cut short
inline constexpr int kNoWork = 2;  ///< the call names no work
/// Of `compare`: no pair of jobs, or one whose workloads differ or that had errors.
inline constexpr int kNotComparable = 4;

/// Arguments as the shell gave them.
using Words = std::vector<std::string>;

/// A call that the subcommand can't make sense of, and why: main tells it with the usage, and ends
/// with kNoWork.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A run, from words to result. `command_line`: all words with the program's name, for the result
/// file. kDone; kFailed also when the result could not be written where it should go; kNoWork.
/// Throws what a run can't begin with: OutputError, EngineError, target::Error.
[[nodiscard]] int run_command(const Words& words, const Words& command_line);
/// Two results side by side on standard output. kDone, kNotComparable. Throws UsageError unless
/// there are two paths; std::runtime_error when a result can't be read.
[[nodiscard]] int compare_command(const Words& words);
/// Each result as text. kDone. Throws as compare_command(), UsageError without a path.
[[nodiscard]] int report_command(const Words& words);
/// Without words a line for each built-in ioengine; else what each word names: "NAME",
/// "NAME,OPTION" or a path. kDone. Throws EngineError for what isn't there, UsageError.
[[nodiscard]] int engines_command(const Words& words);
/// Without words a line for each job option; else each in full, and why, if chronio refuses it.
/// "--markdown" prints docs/jobfile.md. kDone; kFailed at the first word that is no option of ours.
/// Throws UsageError.
[[nodiscard]] int options_command(const Words& words);
/// Takes what `run` takes; shows each job's effective options and where they come from, and runs
/// nothing. Jobs are shown despite mistakes, which make the code kFailed. Throws UsageError without
/// a job.
[[nodiscard]] int explain_command(const Words& words);
/// Checks the clock as a run would and prints its certificate. kDone when it passed, kFailed when
/// not. Throws UsageError for an option that it does not have.
[[nodiscard]] int clock_command(const Words& words);
/// What can be counted on this machine by this user. kDone whatever that is. Throws UsageError for
/// an option that it does not have.
[[nodiscard]] int pmu_command(const Words& words);

}  // namespace chronio::cli

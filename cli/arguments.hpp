// arguments.hpp: the command line of a run: fio's long options with one or two dashes, jobs by
// --name, job files in between.
#pragma once

#include "cli/clock_options.hpp"
#include "jobs/options.hpp"
#include "jobs/parser.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace chronio::cli {

/// What a run is asked to do. Job options are only sorted into sections here; jobs::resolve()
/// judges their values.
struct Arguments {
  std::vector<jobs::Section> sections;  ///< of the command line and the job files, in their order
  /// Of the command line and of parsing the files, in the order in which they were found.
  std::vector<jobs::Diagnostic> diagnostics;
  /// A job or a job file is named, also one that can't be read: else the call is a mistake of
  /// another kind, with exit code kNoWork.
  bool names_work = false;                              ///< a job or a job file is named
  std::string output;                                   ///< path; empty: standard output
  std::vector<std::string> output_format = {"normal"};  ///< of normal, json, json+
  std::string json;  ///< path of a json+ file beside the output; empty: none
  /// Paths of devices that may be overwritten though they hold data; compared by the guard, not
  /// here.
  std::vector<std::string> allow_destroy;
  bool readonly = false;
  /// The plan is made as well, so that targets and engines are looked at.
  bool parse_only = false;
  bool warnings_fatal = false;
  std::string eta = "auto";  ///< auto, always, never
  /// Copies of all jobs together; 1 to 65,536. Source: default of fio's --max-jobs.
  std::uint32_t max_jobs = 4096;
  ClockRequest clock;
};

/// Reads `words` (without the program's name). Mistakes become diagnostics; nothing is thrown for
/// them. Job files are read through `world`, "-" from standard input, in their places among the
/// words, because what stands before a file is a default for it and what stands behind is not.
[[nodiscard]] Arguments read_arguments(const std::vector<std::string>& words,
                                       const jobs::ParserWorld& world);

/// The options of a run that belong to no job, for --help; lines of 79 columns, ends with a
/// newline.
[[nodiscard]] std::string run_options_help();

}  // namespace chronio::cli

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

/// What a run is asked to do.
struct Arguments {
  std::vector<jobs::Section> sections;  ///< of the command line and the job files, in their order
  std::vector<jobs::Diagnostic> diagnostics;
  bool names_work = false;                              ///< a job or a job file is named
  std::string output;                                   ///< path; empty: standard output
  std::vector<std::string> output_format = {"normal"};  ///< of normal, json, json+
  std::string json;  ///< path of a json+ file beside the output; empty: none
  std::vector<std::string> allow_destroy;
  bool readonly = false;
  bool parse_only = false;
  bool warnings_fatal = false;
  std::string eta = "auto";  ///< auto, always, never
  std::uint32_t max_jobs = 4096;
  ClockRequest clock;
};

/// Reads `words` (without the program's name). Mistakes become diagnostics.
[[nodiscard]] Arguments read_arguments(const std::vector<std::string>& words,
                                       const jobs::ParserWorld& world);

/// The options of a run that belong to no job, for --help.
[[nodiscard]] std::string run_options_help();

}  // namespace chronio::cli

// main.cpp: from the program's name to a subcommand; the one place that catches.
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/tell.hpp"
#include "results/output.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <fmt/format.h>
#include <string_view>
#include <unistd.h>

namespace chronio::cli {
namespace {

constexpr std::string_view kUsage =
    R"(usage: chronio [run] [options] JOBFILE...
       chronio [options] --name=JOB --rw=randread --size=1g ... [--name=JOB ...]
       chronio compare A.json B.json       two results side by side
       chronio report RESULT.json...       a result as text
       chronio explain JOBFILE...          effective value and origin of every option
       chronio engines [NAME]              ioengines and their options
       chronio options [NAME]              job options
       chronio clock                       check the clock of this machine
       chronio pmu                         which events can be counted here

)";

constexpr std::array<std::string_view, 5> kLaterCommands = {"plan", "noise", "merge", "export",
                                                            "verify"};

struct Command {
  std::string_view name;
  int (*run)(const Words&);
};
constexpr std::array<Command, 7> kCommands = {{{"compare", compare_command},
                                               {"report", report_command},
                                               {"engines", engines_command},
                                               {"options", options_command},
                                               {"explain", explain_command},
                                               {"clock", clock_command},
                                               {"pmu", pmu_command}}};

int help() {
  results::write_stdout(std::string(kUsage) + run_options_help());
  return kDone;
}

/// A word that can only be meant as a subcommand: no file, no dash, no dot, no slash.
bool is_unknown_command(const std::string& word) {
  return !word.starts_with('-') && word.find_first_of("./") == std::string::npos &&
         ::access(word.c_str(), F_OK) != 0;
}

/// fio's own spellings of what are subcommands here.
int fio_query(const std::string& word, bool& found) {
  const auto argument = [&](std::string_view name) -> Words {
    const std::size_t at = name.size() + 3;
    return word.size() > at ? Words{word.substr(at)} : Words{};
  };
  found = true;
  if (word == "--help" || word == "-h") return help();
  if (word == "--version" || word == "-v") {
    results::write_stdout("chronio " CHRONIO_VERSION "\n");
    return kDone;
  }
  if (word == "--cpuclock-test") return clock_command({});
  if (word == "--enghelp" || word.starts_with("--enghelp="))
    return engines_command(argument("enghelp"));
  if (word == "--cmdhelp=all") return options_command({});
  if (word == "--cmdhelp" || word.starts_with("--cmdhelp="))
    return options_command(argument("cmdhelp"));
  found = false;
  return kDone;
}

int dispatch(const Words& line) {
  const Words words(line.begin() + 1, line.end());
  if (words.empty()) {
    tell("{}", kUsage);
    return kNoWork;
  }
  bool found = false;
  const int code = fio_query(words.front(), found);
  if (found) return code;
  const Words rest(words.begin() + 1, words.end());
  if (words.front() == "run") return run_command(rest, line);
  for (const Command& command : kCommands)
    if (words.front() == command.name) return command.run(rest);
  if (is_unknown_command(words.front())) {
    const bool later = std::find(kLaterCommands.begin(), kLaterCommands.end(), words.front()) !=
                       kLaterCommands.end();
    tell("chronio: {}: {}; see --help\n", words.front(),
         later ? "not done in this version" : "neither a subcommand nor a job file");
    return kNoWork;
  }
  return run_command(words, line);
}

/// Where one of these is closed, the next file that is opened gets its number: messages would be
/// written into it.
void fill_standard_descriptors() {
  int fd = ::open("/dev/null", O_RDWR);
  while (fd >= 0 && fd <= STDERR_FILENO) fd = ::dup(fd);
  if (fd >= 0) ::close(fd);
}

}  // namespace
}  // namespace chronio::cli

int main(int argc, char** argv) {
  chronio::cli::fill_standard_descriptors();
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return chronio::cli::dispatch({argv, argv + argc});
  } catch (const std::exception& error) {
    chronio::cli::tell("chronio: {}\n", error.what());
    return chronio::cli::kFailed;
  }
}

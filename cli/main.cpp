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
    R"(usage: chronio [run] [options] JOBFILE...    "-": standard input
       chronio [options] --name=JOB --rw=randread --size=1g ... [--name=JOB ...]
       chronio compare A.json B.json       two results side by side
       chronio report RESULT.json...       a result as text
       chronio explain JOBFILE...          every option's value and origin
       chronio engines [NAME]              ioengines and their options
       chronio options [NAME]              job options
       chronio clock                       check the clock of this machine
       chronio pmu                         which events can be counted here

)";

// Names that are kept free, so that a job file called "merge" has to be written "./merge" from the
// beginning.
constexpr std::array<std::string_view, 5> kLaterCommands = {"plan", "noise", "merge", "export",
                                                            "verify"};

struct Command {
  std::string_view name;
  std::string_view takes;  ///< behind the name, in the usage
  int (*run)(const Words&);
};
/// `run` is not among them: it also wants the whole command line.
constexpr std::array<Command, 7> kCommands = {
    {{"compare", "[--percentiles=50:99:99.9] A.json B.json", compare_command},
     {"report", "RESULT.json...", report_command},
     {"engines", "[NAME | NAME,OPTION | PATH]...", engines_command},
     {"options", "[--markdown | NAME]...", options_command},
     {"explain", "[options of a run] JOBFILE...", explain_command},
     {"clock",
      "[--method=oneway|hop|cas] [--cpus=LIST] [--clock-quality=N]\n"
      "                     [--clock-tolerance=TIME] [--clock-calibrate=TIME]\n"
      "                     [--output-format=normal|json]",
      clock_command},
     {"pmu", "[--output-format=normal|json]", pmu_command}}};

int help() {
  results::write_stdout(std::string(kUsage) + run_options_help());
  return kDone;
}

bool is_help(const std::string& word) { return word == "--help" || word == "-h"; }

bool asks_for_help(const Words& words) { return std::any_of(words.begin(), words.end(), is_help); }

int call(const Command& command, const Words& words) {
  const std::string usage = fmt::format("usage: chronio {} {}\n", command.name, command.takes);
  try {
    if (!asks_for_help(words)) return command.run(words);
  } catch (const UsageError& error) {
    tell("chronio {}: {}\n", command.name, error.what());
    tell_text(usage);
    return kNoWork;
  }
  results::write_stdout(usage);
  return kDone;
}

int run(const Words& words, const Words& line) {
  return asks_for_help(words) ? help() : run_command(words, line);
}

/// A word that can only be meant as a subcommand: no file, no dash, no dot, no slash. "chronio
/// comprae" should not end as a job file that could not be found.
bool is_unknown_command(const std::string& word) {
  return !word.starts_with('-') && word.find_first_of("./") == std::string::npos &&
         ::access(word.c_str(), F_OK) != 0;
}

/// fio's own spellings of what are subcommands here. `found` says whether `word` was one. Only the
/// first word is looked at: fio ends at such a query, whatever else is asked of it. A call for help
/// is one wherever it stands.
int fio_query(const std::string& word, bool& found) {
  const auto argument = [&](std::string_view name) -> Words {
    const std::size_t at = name.size() + 3;
    return word.size() > at ? Words{word.substr(at)} : Words{};
  };
  found = true;
  if (is_help(word)) return help();
  if (word == "--version" || word == "-v") {
    results::write_stdout("chronio " CHRONIO_VERSION "\n");
    return kDone;
  }
  // fio's own test prints a verdict of pass or fail; the exit code says the same here.
  if (word == "--cpuclock-test") return clock_command({});
  if (word == "--enghelp" || word.starts_with("--enghelp="))
    return engines_command(argument("enghelp"));
  // Before the general form, to which "all" would be an option's name.
  if (word == "--cmdhelp=all") return options_command({});
  if (word == "--cmdhelp" || word.starts_with("--cmdhelp="))
    return options_command(argument("cmdhelp"));
  found = false;
  return kDone;
}

int dispatch(const Words& line) {
  const Words words(line.begin() + 1, line.end());
  if (words.empty()) {
    // On stderr: a script that runs nothing by mistake must not take the usage for a result.
    tell_text(kUsage);
    return kNoWork;
  }
  bool found = false;
  const int code = fio_query(words.front(), found);
  if (found) return code;
  const Words rest(words.begin() + 1, words.end());
  // fio's command lines have no subcommand, so the word may be left out; here it is for a job file
  // that is called as another subcommand is.
  if (words.front() == "run") return run(rest, line);
  for (const Command& command : kCommands)
    if (words.front() == command.name) return call(command, rest);
  if (is_unknown_command(words.front())) {
    const bool later = std::find(kLaterCommands.begin(), kLaterCommands.end(), words.front()) !=
                       kLaterCommands.end();
    tell("chronio: {}: {}; see --help\n", words.front(),
         later ? "not done in this version" : "neither a subcommand nor a job file");
    return kNoWork;
  }
  return run(words, line);
}

/// Where one of these is closed, the next file that is opened gets its number: messages would be
/// written into it.
void fill_standard_descriptors() {
  // open(2) and dup(2) give the lowest number that is free, so this fills the gaps from below.
  int fd = ::open("/dev/null", O_RDWR);
  while (fd >= 0 && fd <= STDERR_FILENO) fd = ::dup(fd);
  if (fd >= 0) ::close(fd);
}

}  // namespace
}  // namespace chronio::cli

int main(int argc, char** argv) {
  chronio::cli::fill_standard_descriptors();
  // Else a reader that leaves, or a limit on file sizes, would end the process in the middle of a
  // write: the run would be lost, and the temporary file of the result stay.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return chronio::cli::dispatch({argv, argv + argc});
  } catch (const std::exception& error) {
    // The one place that catches what cold paths throw. Workers throw nothing: their errors are
    // results.
    chronio::cli::tell("chronio: {}\n", error.what());
    return chronio::cli::kFailed;
  }
}

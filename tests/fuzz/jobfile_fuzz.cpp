// jobfile_fuzz.cpp: any bytes as a job file. For libFuzzer; jobfile_replay.cpp runs it as an
// ordinary test.
#include "tests/fuzz/jobfile_fuzz.hpp"

#include "jobs/options.hpp"
#include "tests/jobs_text.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace {

using namespace chronio::jobs;

/// Ends the program when a property does not hold.
void require(bool holds, const char* claim) {
  if (holds) return;
  std::fprintf(stderr, "jobfile_fuzz: not so: %s\n", claim);
  std::abort();
}

const ParserWorld& world() {
  static const ParserWorld kWorld =
      fake_world({{"base.fio", "bs=4k\n"},
                  {"loop.fio", "include loop.fio\n"},
                  {"deep/a.fio", "include ../base.fio\n"}},
                 {{"N", "2"}, {"SIZE", "64k"}, {"EMPTY", ""}, {"LINE", "rw=read"}});
  return kWorld;
}

/// A diagnostic of the text itself names a line and a column that are in it, and can be printed.
void check_diagnostic(const Diagnostic& diagnostic, std::size_t lines) {
  const Where& where = diagnostic.where;
  require(!diagnostic.message.empty(), "a diagnostic has a message");
  require(where.file != "t.fio" || where.line <= lines, "a diagnostic's line is in the text");
  require(where.column <= where.text.size() + 1, "a diagnostic's column is in its line");
  const std::string text = format(diagnostic);
  require(printable(diagnostic.message) == diagnostic.message, "a message is printable");
  require(!text.empty() && text.back() == '\n', "a diagnostic ends with a newline");
}

/// What a job was given reads back to the same from its own spelling.
void check_spelling(const JobSpec& spec) {
  std::string text = "[j]\n";
  for (const OptionRow* row : option_rows()) {
    const std::string value = spell(*row, spec.job);
    // A remark can't be told from a value that a variable brought in.
    if (!value.empty() && value.find_first_of(";#") == std::string::npos) {
      text += std::string(row->key) + "=" + value + "\n";
    }
  }
  const Outcome again = read_jobs(text);
  require(again.jobs.size() == 1, "an effective job is a job");
  for (const OptionRow* row : option_rows()) {
    const std::string value = spell(*row, spec.job);
    if (value.find_first_of(";#$") == std::string::npos) {
      require(value.empty() || spell(*row, again.jobs[0].job) == value,
              "an effective value reads back to itself");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  const std::size_t lines =
      static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  const Outcome outcome = read_jobs(text, world());
  for (const Diagnostic& diagnostic : outcome.diagnostics) check_diagnostic(diagnostic, lines);
  for (const JobSpec& spec : outcome.jobs) {
    for (const Setting& setting : spec.unknown)
      check_diagnostic(unknown_option(setting, {}), lines);
  }
  if (!has_errors(outcome.diagnostics) && outcome.jobs.size() == 1) check_spelling(outcome.jobs[0]);
  return 0;
}

// options.hpp: the option table: one row per option feeds the parser, the command line, `chronio
// options` and docs/jobfile.md.
#pragma once

#include "jobs/job.hpp"
#include "jobs/parser.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace chronio::jobs {

enum class Unit : std::uint8_t { none, bytes, seconds, microseconds, percent };

/// A word that an enumeration takes, and the number of its enumerator.
struct Word {
  std::string_view text;
  std::uint8_t value;
};

/// Where a row's value goes; the alternative is the option's type.
using Field =
    std::variant<bool Job::*, std::uint32_t Job::*, std::uint64_t Job::*, std::string Job::*,
                 Rw Job::*, ClockSource Job::*, Amount Job::*, std::optional<Amount> Job::*,
                 std::optional<std::uint64_t> Job::*, PerDdir<std::uint64_t> Job::*,
                 std::vector<std::string> Job::*, std::vector<double> Job::*,
                 std::vector<std::uint32_t> Job::*>;

/// One option. `field` says its type; times are stored in ns whatever `unit` the user writes in.
struct OptionRow {
  std::string_view key;
  std::string_view aliases;  ///< blank-separated; empty without
  Field field;
  Unit unit = Unit::none;
  std::uint64_t minimum = 0;
  std::uint64_t maximum = std::numeric_limits<std::uint64_t>::max();
  bool complement = false;   ///< stores !value, or 100 - value: `buffered`, `rwmixwrite`
  bool accumulates = false;  ///< a repeated key adds to the list: `filename`
  bool bare = false;         ///< may stand without a value: fio's "set" flags
  std::span<const Word> words = {};  ///< of an enumeration
  std::string_view help;     ///< one line
};

/// All rows, group by group, in the order of docs/jobfile.md.
[[nodiscard]] std::span<const OptionRow* const> option_rows();

/// The row of a key or alias; null when there is none.
[[nodiscard]] const OptionRow* find_option(std::string_view key);

/// An fio option that chronio knows of but does not do.
struct ForeignOption {
  std::string_view key;
  std::string_view harmless;  ///< values with which it can't change a result, blank-separated: accepted with a
                              ///< note. "*": any value. Empty: always refused
  std::string_view reason;    ///< what the message says
};
[[nodiscard]] const ForeignOption* find_foreign(std::string_view key);

/// True for fio options that belong on the command line (output-format, ...).
[[nodiscard]] bool is_command_line_only(std::string_view key);

/// The known key nearest to `key` by edit distance, out of the tables and `more`; empty when none is near.
[[nodiscard]] std::string suggest(std::string_view key, std::span<const std::string> more = {});

/// Effective value of a row in `job`, spelled so that the parser reads it back to the same value.
[[nodiscard]] std::string spell(const OptionRow& row, const Job& job);

/// One job of the run, complete.
struct JobSpec {
  Job job;
  Where where;                  ///< of its section
  std::vector<Setting> written;  ///< what was set, globals first, by canonical key: last one wins
  std::vector<Setting> unknown;  ///< keys that no table has: the engine's options, or mistakes
};

struct Resolved {
  std::vector<JobSpec> jobs;
  std::vector<Setting> global_options;  ///< of [global] sections, for the result file
  std::vector<Diagnostic> diagnostics;
};

/// Jobs of `sections`, in order. Globals of the command line apply to all later sections, globals of a
/// job file to the later sections of that file. Between two sources stands an implicit stonewall.
[[nodiscard]] Resolved resolve(std::span<const Section> sections);

/// docs/jobfile.md, whole.
[[nodiscard]] std::string markdown();

}  // namespace chronio::jobs

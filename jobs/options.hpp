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

/// What a bare number of an option is in. fio's times differ: seconds for runtime= and its kin,
/// microseconds for latencies and thinking.
enum class Unit : std::uint8_t { none, bytes, seconds, microseconds, percent };

/// A word that an enumeration takes, and the number of its enumerator. The first word of a number
/// is how spell() writes it; the others are synonyms.
struct Word {
  std::string_view text;
  std::uint8_t value;
};

/// Where a row's value goes; the alternative is the option's type. A new type needs an overload of
/// read_into() in values.cpp, of text_of() in spell.cpp and of TypeText in markdown.cpp.
using Field =
    std::variant<bool Job::*, std::uint32_t Job::*, std::uint64_t Job::*, std::string Job::*,
                 Rw Job::*, FadviseHint Job::*, ClockSource Job::*, PmuOrder Job::*,
                 PmuSwitch Job::*, PmuNotify Job::*, PmuEstimator Job::*, Amount Job::*,
                 std::optional<Amount> Job::*, std::optional<std::uint64_t> Job::*,
                 PerDdir<std::uint64_t> Job::*, std::vector<std::string> Job::*,
                 std::vector<double> Job::*, std::vector<std::uint32_t> Job::*>;

/// One option. `field` says its type; times are stored in ns whatever `unit` the user writes in.
/// Rows are constants written with designated initializers: what a row leaves out is the common
/// case.
struct OptionRow {
  std::string_view key;
  std::string_view aliases = {};  ///< blank-separated; empty without
  Field field = {};
  Unit unit = Unit::none;
  std::uint64_t minimum = 0;  ///< of a number, or of each number of a list
  std::uint64_t maximum = std::numeric_limits<std::uint64_t>::max();  ///< of a text: bytes
  std::string_view limit = {};  ///< why the maximum is what it is; for the message
  std::size_t most_entries = std::numeric_limits<std::size_t>::max();  ///< of a list
  bool complement = false;           ///< stores !value, or 100 - value: `buffered`, `rwmixwrite`
  bool accumulates = false;          ///< a repeated key adds to the list: `filename`
  bool bare = false;                 ///< may stand without a value: fio's "set" flags
  std::span<const Word> words = {};  ///< of an enumeration
  bool postfix = false;  ///< fio allows ":N" behind the word, which is not done yet: `rw`
  /// Also the text of docs/jobfile.md, whose columns are separated by bars.
  std::string_view help = {};  ///< one line
};

/// The other row of the same field: `buffered` for `direct`; null for most. Whoever asks what set a
/// field has to look at both. REQUIRES: a row of the table, not a copy of one.
[[nodiscard]] const OptionRow* twin_of(const OptionRow& row);

/// Rows of one file of jobs/options/; the title is a heading of docs/jobfile.md.
struct OptionGroup {
  std::string_view title;
  std::span<const OptionRow> rows;
};
/// The groups in the order of docs/jobfile.md. Constant, like all tables here: made on first use,
/// never changed, safe from any thread.
[[nodiscard]] std::span<const OptionGroup> option_groups();

/// All rows, group by group, in the order of docs/jobfile.md.
[[nodiscard]] std::span<const OptionRow* const> option_rows();

/// The row of a key or alias; null when there is none. Exact: case and "-" against "_" matter, as
/// in fio.
[[nodiscard]] const OptionRow* find_option(std::string_view key);

/// An fio option that chronio knows of but does not do. Told apart from an unknown key: the user
/// made no mistake, and should read why it is refused rather than a suggestion.
struct ForeignOption {
  std::string_view key;
  std::string_view harmless;  ///< values with which it can't change a result, blank-separated:
                              ///< accepted with a note. "*": any value. Empty: always refused
  std::string_view reason;    ///< what the message says
  bool engine =
      false;  ///< belongs to an ioengine: refused only when the job's engine has none of that name
};
/// Null for any key that is not in the list, so also for those that have a row.
[[nodiscard]] const ForeignOption* find_foreign(std::string_view key);

/// All of them: fio's own, then those of its ioengines. In that order a key of both is found as
/// fio's own.
[[nodiscard]] std::span<const ForeignOption* const> foreign_options();

/// True for fio options that belong on the command line (output-format, ...), written with "-" or
/// "_".
[[nodiscard]] bool is_command_line_only(std::string_view key);

/// The known key nearest to `key` by edit distance, out of the tables and `more`; empty when none
/// is near: more than a third of the key would have to change. Leading dashes don't count.
[[nodiscard]] std::string suggest(std::string_view key, std::span<const std::string> more = {});

/// What to say about a key that neither the tables nor the job's ioengine have: an error, or a note
/// when fio has it and its value can't change a result. `engine_options` are the names that the
/// engine has.
[[nodiscard]] Diagnostic unknown_option(const Setting& setting,
                                        std::span<const std::string> engine_options);

/// Effective value of a row in `job`, spelled so that the parser reads it back to the same value.
/// Empty for what is not set.
[[nodiscard]] std::string spell(const OptionRow& row, const Job& job);

/// One job of the run, complete: the typed options, and the texts that they came from, which the
/// result file and messages need.
struct JobSpec {
  Job job;
  Where where;                   ///< of its section
  std::vector<Setting> written;  ///< what is in force, each canonical key once: the last one set
  std::vector<Setting>
      unknown;  ///< keys that no table has: the engine's options, or mistakes; globals first
};

/// The setting that gave `row` its value, also under a complement's name (`buffered` for `direct`);
/// null for a default.
[[nodiscard]] const Setting* written_by(const JobSpec& spec, const OptionRow& row);

/// Outcome of resolving. The jobs are usable only when no diagnostic is an error: a setting with a
/// mistake left its field as it was.
struct Resolved {
  std::vector<JobSpec> jobs;
  std::vector<Setting> global_options;  ///< of [global] sections, for the result file
  std::vector<Diagnostic> diagnostics;
};

/// Jobs of `sections`, in order. Globals of the command line apply to all later sections, globals
/// of a job file to the later sections of that file. Between two sources stands an implicit
/// stonewall. REQUIRES: the sections of one job file stand together.
[[nodiscard]] Resolved resolve(std::span<const Section> sections);

/// docs/jobfile.md, whole. A test compares it with the page, so that the two can't differ.
[[nodiscard]] std::string markdown();

}  // namespace chronio::jobs

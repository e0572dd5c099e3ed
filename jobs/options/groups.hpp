// groups.hpp: the option tables, one file per group. Internal to jobs.
#pragma once

#include "jobs/options.hpp"

#include <span>

namespace chronio::jobs {

/// Each: the rows of the file of that name, in the order in which docs/jobfile.md lists them. To
/// add an option, add a row and a member of Job; nothing else knows their number.
[[nodiscard]] std::span<const OptionRow> life_options();
[[nodiscard]] std::span<const OptionRow> target_options();
[[nodiscard]] std::span<const OptionRow> io_options();
[[nodiscard]] std::span<const OptionRow> size_options();
[[nodiscard]] std::span<const OptionRow> random_options();
[[nodiscard]] std::span<const OptionRow> time_options();
[[nodiscard]] std::span<const OptionRow> report_options();
[[nodiscard]] std::span<const OptionRow> pmu_options();

/// An option that belongs on the command line. In a job file it is refused by name, for the user
/// would otherwise wait for output that never comes.
struct CommandLineOption {
  std::string_view key;
  std::string_view instead;  ///< why chronio has none, and what would be right; empty: it has
};
/// Keys with "-", as they are typed.
[[nodiscard]] std::span<const CommandLineOption> command_line_options();
/// Null for any other key. "_" counts as "-".
[[nodiscard]] const CommandLineOption* find_command_line(std::string_view key);

/// Options of fio that have no row: of fio itself, and of its ioengines. The latter are judged when
/// the job's ioengine is known, which may have one of that name.
[[nodiscard]] std::span<const ForeignOption> foreign_core_options();
[[nodiscard]] std::span<const ForeignOption> foreign_engine_options();

}  // namespace chronio::jobs

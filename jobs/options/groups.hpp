// groups.hpp: the option tables, one file per group. Internal to jobs.
#pragma once

#include "jobs/options.hpp"

#include <span>

namespace chronio::jobs {

[[nodiscard]] std::span<const OptionRow> life_options();
[[nodiscard]] std::span<const OptionRow> target_options();
[[nodiscard]] std::span<const OptionRow> io_options();
[[nodiscard]] std::span<const OptionRow> size_options();
[[nodiscard]] std::span<const OptionRow> random_options();
[[nodiscard]] std::span<const OptionRow> time_options();
[[nodiscard]] std::span<const OptionRow> report_options();
[[nodiscard]] std::span<const OptionRow> pmu_options();

/// An option that belongs on the command line.
struct CommandLineOption {
  std::string_view key;
  std::string_view instead;  ///< why chronio has none, and what would be right; empty: it has
};
[[nodiscard]] std::span<const CommandLineOption> command_line_options();
/// Null for any other key.
[[nodiscard]] const CommandLineOption* find_command_line(std::string_view key);

/// Options of fio that have no row: of fio itself, and of its ioengines.
[[nodiscard]] std::span<const ForeignOption> foreign_core_options();
[[nodiscard]] std::span<const ForeignOption> foreign_engine_options();

}  // namespace chronio::jobs

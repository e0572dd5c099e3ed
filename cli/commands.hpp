// commands.hpp: the subcommands. Each takes the words after its name and returns the exit code.
#pragma once

#include <string>
#include <vector>

namespace chronio::cli {

/// Exit codes (docs/metrics.md does not repeat them): what main returns.
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;  ///< wrong input, an I/O error, a run cut short
inline constexpr int kNoWork = 2;  ///< the call names no work
inline constexpr int kNotComparable = 4;

using Words = std::vector<std::string>;

[[nodiscard]] int run_command(const Words& words, const Words& command_line);
[[nodiscard]] int compare_command(const Words& words);
[[nodiscard]] int report_command(const Words& words);
[[nodiscard]] int engines_command(const Words& words);
[[nodiscard]] int options_command(const Words& words);
[[nodiscard]] int explain_command(const Words& words);
[[nodiscard]] int clock_command(const Words& words);
[[nodiscard]] int pmu_command(const Words& words);

}  // namespace chronio::cli

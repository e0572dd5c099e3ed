// messages.hpp: diagnostics about one setting. Internal to jobs.
#pragma once

#include "jobs/options.hpp"

#include <string>
#include <string_view>

namespace chronio::jobs {

/// "KEY=VALUE: MESSAGE" with the caret at byte `at` of the value.
[[nodiscard]] Diagnostic about(const Setting& setting, Severity severity, std::string_view message,
                               std::uint32_t at = 0);

/// A note when the value is harmless, else an error.
[[nodiscard]] Diagnostic foreign_option(const ForeignOption& option, const Setting& setting);

/// An option of the command line in a job file; or on the command line, one that is not done.
[[nodiscard]] Diagnostic command_line_only(const Setting& setting);

/// True when `value` was written behind blanks: "size = 8k".
[[nodiscard]] bool stands_behind_blank(const Setting& setting);

}  // namespace chronio::jobs

// messages.hpp: diagnostics about one setting. Internal to jobs.
#pragma once

#include "jobs/options.hpp"

#include <string>
#include <string_view>

namespace chronio::jobs {

/// "KEY=VALUE: MESSAGE" with the caret at byte `at` of the value. Where a variable was replaced,
/// the bytes of the line are not those of the value: then the caret stands at the value's
/// beginning.
[[nodiscard]] Diagnostic about(const Setting& setting, Severity severity, std::string_view message,
                               std::uint32_t at = 0);

/// What is said about an option that fio has and chronio doesn't: a note when the value is one that
/// can't change a result, else an error with the caret at the key. A bare key counts as "1".
[[nodiscard]] Diagnostic foreign_option(const ForeignOption& option, const Setting& setting);

/// An option of the command line in a job file; or on the command line, one that is not done. An
/// error in both cases, spelled with dashes as it would be typed.
[[nodiscard]] Diagnostic command_line_only(const Setting& setting);

/// True when `value` was written behind blanks: "size = 8k". Harmless here, but fio then drops the
/// suffix of a number.
[[nodiscard]] bool stands_behind_blank(const Setting& setting);

}  // namespace chronio::jobs

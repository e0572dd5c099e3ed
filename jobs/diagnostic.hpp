// diagnostic.hpp: a mistake or a doubt about what the user wrote: where, what was found, what would
// be right.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace chronio::jobs {

/// A place in a job file or on the command line. It owns its text: a diagnostic outlives the file
/// that it is about.
struct Where {
  std::string file;          ///< as the user named it; "command line"; empty: no place
  std::uint32_t line = 0;    ///< from 1; 0 on the command line
  std::uint32_t column = 0;  ///< from 1, in bytes; where the caret stands; 0: no caret
  std::string text;          ///< the line, for the caret
};

/// What a mistake or a doubt does to the run. With --warnings-fatal a warning ends it too.
enum class Severity : std::uint8_t {
  error,    ///< nothing runs
  warning,  ///< runs, but not as fio would have, or a figure becomes doubtful
  note,     ///< runs; a quiet correction made visible
};

/// One thing to tell the user. Diagnostics are collected and told together: the user corrects a
/// file once, not mistake by mistake.
struct Diagnostic {
  Severity severity = Severity::error;
  Where where;
  /// One or more sentences. It may hold names and paths as they are: format() escapes them.
  std::string message;
};

/// "FILE:LINE: error: MESSAGE", all of it printable(), then the line and a caret when there is a
/// place for one. Lines over 160 bytes are shown around the caret only. Ends with a newline.
[[nodiscard]] std::string format(const Diagnostic& diagnostic);

/// Whether any of them forbids the run. Warnings don't; --warnings-fatal is its caller's matter.
[[nodiscard]] bool has_errors(const std::vector<Diagnostic>& diagnostics) noexcept;

/// `text` with unprintable and non-UTF-8 bytes as \xNN. Marks that turn the direction of writing
/// and line separators count as unprintable: with them a message could be made to say something
/// else.
[[nodiscard]] std::string printable(std::string_view text);

/// `text` for a message: printable, and its middle left out when it is over 60 bytes. The result
/// can be longer than that: an escaped byte takes four columns.
[[nodiscard]] std::string shown(std::string_view text);

}  // namespace chronio::jobs

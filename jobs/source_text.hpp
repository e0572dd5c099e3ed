// source_text.hpp: a job file's bytes as a whole: encoding, binary data, lines. Internal to the
// parser.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace chronio::jobs {

/// Why `text` can't be a job file at all: another encoding, binary data, too large; std::nullopt:
/// it may be one. One such message replaces hundreds about lines that nobody wrote, as when a
/// device or a result is named by mistake.
[[nodiscard]] std::optional<std::string> not_a_job_file(std::string_view text);

/// `text` without a UTF-8 byte-order mark. Some editors write one, and it would become part of the
/// first line's key.
[[nodiscard]] std::string_view without_mark(std::string_view text) noexcept;

/// Takes the first line, without its line end (LF, or CR LF), off `text`. The last line needs no
/// end. REQUIRES: `text` is not empty.
[[nodiscard]] std::string_view take_line(std::string_view& text) noexcept;

/// `text` without blanks at both ends; a view into it. Where all is blank, empty with no place in
/// `text`.
[[nodiscard]] std::string_view trim(std::string_view text) noexcept;

/// Blank, tab, CR, VT, FF, whatever the locale.
[[nodiscard]] bool is_blank(char c) noexcept;

}  // namespace chronio::jobs

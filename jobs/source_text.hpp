// source_text.hpp: a job file's bytes as a whole: encoding, binary data, lines. Internal to the
// parser.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace chronio::jobs {

/// Why `text` can't be a job file at all: another encoding, binary data, too large. Nothing: it may
/// be one.
[[nodiscard]] std::optional<std::string> not_a_job_file(std::string_view text);

/// `text` without a UTF-8 byte-order mark.
[[nodiscard]] std::string_view without_mark(std::string_view text) noexcept;

/// Takes the first line, without its line end, off `text`. REQUIRES: `text` is not empty.
[[nodiscard]] std::string_view take_line(std::string_view& text) noexcept;

/// Without blanks at both ends.
[[nodiscard]] std::string_view trim(std::string_view text) noexcept;

/// Blank, tab, CR, VT, FF, whatever the locale.
[[nodiscard]] bool is_blank(char c) noexcept;

}  // namespace chronio::jobs

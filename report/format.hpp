// format.hpp: numbers, latencies and wrapped lines as text, the same under every locale.
#pragma once

#include "report/terminal.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace chronio::report {

/// What a prefix stands for a power of: k is 1000, Ki is 1024.
enum class Base : std::uint16_t { si = 1000, iec = 1024 };

/// `value`, rounded, with a prefix as soon as its whole part has more than `digits` figures, and as
/// many decimals as then fit: 4 digits give "9999", "12.3k", "123k", "1234k"; 6 give "4384.3k".
/// Where fio's own rounding loses a carry ("29.0k" for 29,960) the right figure is given. REQUIRES:
/// value >= 0, digits >= 4. Source: fio's lib/num2str.c, num2str().
[[nodiscard]] std::string scaled(double value, int digits, Base base);

/// I/Os per second as fio prints them; below 10 with decimals: "256k", "1998", "0.33".
[[nodiscard]] std::string iops_text(double iops);

/// "4096B", "64.0KiB", "268MB". `bytes` is rounded to a whole number first.
[[nodiscard]] std::string bytes_text(double bytes, Base base);

/// Bytes per second: "16.7GiB/s", "4096kB/s".
[[nodiscard]] std::string rate_text(double bytes_per_second, Base base);

/// A latency of `ns` with three figures and its unit: "110 ns", "12.3 us", "1.42 ms", "61.0 s".
[[nodiscard]] std::string latency_text(double ns);

/// A length of time: "0.21 s", "12.0 s", "3 min 20 s", "2 h 05 min".
[[nodiscard]] std::string duration_text(double ns);

/// `value` with `figures` significant figures, or all of its whole ones; never with an exponent:
/// "0.021", "2.1", "123". What is too small for that is "0".
[[nodiscard]] std::string significant(double value, int figures);

/// "1 sample", "2 samples"; groups of three digits: "65,536 samples". The plural is made by an "s".
[[nodiscard]] std::string counted(std::uint64_t n, std::string_view noun);

/// `percent` without needless zeros: "50", "99.9".
[[nodiscard]] std::string percent_name(double percent);

/// A space at which wrapped() breaks no line.
inline constexpr char kGlue = '\x01';

/// `text` with every space glued: a figure stays with its unit.
[[nodiscard]] std::string glued(std::string text);

/// `text` without control characters ('?' stands for each byte of one, C1 in UTF-8 too): names and
/// paths are other people's. The length in bytes stays.
[[nodiscard]] std::string printable(std::string_view text);

/// Columns that UTF-8 `text` takes, one per code point.
[[nodiscard]] std::size_t columns(std::string_view text) noexcept;

/// How wide our own lines may be: the terminal's width, within 40 and 80.
[[nodiscard]] int text_width(const Terminal& terminal) noexcept;

/// `head` and `text` broken at spaces so that no line is wider than `width`, words apart that are
/// wider themselves; later lines are indented by `indent`. Ends with a newline; no line ends with a
/// space.
[[nodiscard]] std::string wrapped(std::string_view head, std::string_view text, std::size_t indent,
                                  int width);

/// Why something is in colour: it is wrong, or it is doubtful. The text says so in words, too.
enum class Ink : std::uint8_t { alarm, caution };

/// `text` in colour if the terminal has it; newlines at its end stay outside.
[[nodiscard]] std::string inked(std::string_view text, Ink ink, const Terminal& terminal);

}  // namespace chronio::report

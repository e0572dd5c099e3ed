// units.cpp: numbers with their suffixes, read whole or refused.
#include "jobs/units.hpp"

#include "jobs/diagnostic.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <optional>

namespace chronio::jobs {
namespace {

constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();
constexpr std::string_view kArithmetic = "arithmetic is not done yet; write the number itself";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// ASCII alone, whatever the locale: in a Turkish one tolower(3) has other ideas of "I".
std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

template <class T>
Read<T> fail(std::size_t at, const std::string& message) {
  Read<T> out;
  out.error = message;
  out.at = static_cast<std::uint32_t>(at);
  return out;
}

/// What is wrong with the start of a number; empty when a digit stands there. Tells the likely
/// mistakes apart, for "is not a number" helps nobody who wrote "(2*4k)".
std::string start_error(std::string_view text) {
  if (text.empty()) return "a number is missing";
  if (is_digit(text[0])) return {};
  if (text[0] == '-' && text.size() > 1 && is_digit(text[1])) return "can't be negative";
  if (text[0] == '(') return std::string(kArithmetic);
  return fmt::format("{} is not a number", shown(text));
}

struct Digits {
  std::uint64_t value = 0;
  std::size_t end = 0;  ///< of the digits in the text
  bool too_large = false;
};

/// Leading decimal or 0x digits; no octal, 010 is ten. REQUIRES: start_error(text) is empty.
Digits scan(std::string_view text) {
  Digits out;
  const char* last = text.data() + text.size();
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    const auto hex = std::from_chars(text.data() + 2, last, out.value, 16);
    // "0x" with nothing behind it is the number 0 with the suffix "x", and refused as such.
    if (hex.ptr != text.data() + 2) {
      out.too_large = hex.ec == std::errc::result_out_of_range;
      out.end = static_cast<std::size_t>(hex.ptr - text.data());
      return out;
    }
  }
  const auto decimal = std::from_chars(text.data(), last, out.value, 10);
  out.too_large = decimal.ec == std::errc::result_out_of_range;
  out.end = static_cast<std::size_t>(decimal.ptr - text.data());
  return out;
}

struct SizeSuffix {
  unsigned power = 0;            ///< of 1024
  bool thousand_in_fio = false;  ///< fio with kb_base=1024 takes 1000 for "kib"
};

/// fio 3.42 takes "kib" for 1000, but "ki" as it takes "k". REQUIRES: `suffix` is in lower case.
std::optional<SizeSuffix> size_suffix(std::string_view suffix) {
  constexpr std::string_view kLetters = "kmgtp";
  if (suffix.empty() || suffix == "b") return SizeSuffix{};
  const std::size_t letter = kLetters.find(suffix[0]);
  if (letter == std::string_view::npos) return std::nullopt;
  const std::string_view rest = suffix.substr(1);
  // "k", "kb", "ki" and "kib", and nothing behind.
  if (!rest.empty() && rest != "b" && rest != "i" && rest != "ib") return std::nullopt;
  return SizeSuffix{static_cast<unsigned>(letter) + 1, rest == "ib"};
}

std::uint64_t power(std::uint64_t base, unsigned exponent) {
  std::uint64_t out = 1;
  for (unsigned i = 0; i < exponent; ++i) out *= base;
  return out;
}

/// What to say about "4.5k": the whole number that it stands for, if there is one. fio cuts the
/// fraction and the suffix off: bs=4.5k is four bytes there. Refused, for no reading of it is sure
/// to be the one that was meant.
std::string fraction_error(std::string_view text) {
  double value = 0;
  const auto number =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  const auto suffix =
      size_suffix(lower(text.substr(static_cast<std::size_t>(number.ptr - text.data()))));
  if (number.ec == std::errc{} && suffix) {
    // Exact: a power of two only moves the exponent. Below 2^53 doubles hold every whole number.
    const double bytes = value * static_cast<double>(power(1024, suffix->power));
    if (bytes >= 1 && bytes < 9e15 &&
        bytes == static_cast<double>(static_cast<std::uint64_t>(bytes))) {
      return fmt::format("a fraction is not a size; write {}", static_cast<std::uint64_t>(bytes));
    }
  }
  return "a fraction is not a size; a whole number would be right";
}

std::string suffix_error(std::string_view suffix) {
  // fio's zones; it takes other unknown suffixes silently for 1.
  if (suffix == "z") return "sizes in zones are not done yet";
  // Where it is allowed, read_amount() has taken it off.
  if (suffix == "%") return "a percentage is not allowed here";
  if (std::string_view("*/+^(").find(suffix[0]) != std::string_view::npos)
    return std::string(kArithmetic);
  return fmt::format("unknown suffix \"{}\"; k, m, g, t, p or KiB, MiB, ... would be right",
                     shown(suffix));
}

struct TimeUnit {
  std::string_view text;
  std::uint64_t ns;
  std::uint64_t fio_ns;  ///< fio takes units that it does not know for microseconds
};

/// Source: fio's parse.c, get_mult_time(); "sec" is in its documentation, but not in that function.
constexpr std::array<TimeUnit, 12> kTimeUnits = {{
    {"d", 86'400'000'000'000, 86'400'000'000'000},
    {"h", 3'600'000'000'000, 3'600'000'000'000},
    {"m", 60'000'000'000, 60'000'000'000},
    {"min", 60'000'000'000, 1'000},
    {"s", 1'000'000'000, 1'000'000'000},
    {"sec", 1'000'000'000, 1'000},
    {"ms", 1'000'000, 1'000'000},
    {"msec", 1'000'000, 1'000'000},
    {"us", 1'000, 1'000},
    {"usec", 1'000, 1'000},
    {"ns", 1, 1'000},
    {"nsec", 1, 1'000},
}};

/// Digits behind the point times `unit`, exactly; nothing when that is finer than a nanosecond. In
/// whole numbers: 0.1 s is no double, and a runtime has to be what was written.
std::optional<std::uint64_t> fraction_of(std::string_view digits, std::uint64_t unit) {
  std::uint64_t out = 0;
  for (const char c : digits.substr(0, digits.find_last_not_of('0') + 1)) {
    // 0.1m is 6 s, 0.001d is 86.4 s: a digit is fine while the unit still divides by ten.
    if (unit % 10 != 0) return std::nullopt;
    unit /= 10;
    out += static_cast<std::uint64_t>(c - '0') * unit;
  }
  return out;
}

std::string time_suffix_error(std::string_view suffix) {
  if (suffix[0] == '-') return "a range of times is not done yet";
  if (std::string_view("*/+^(").find(suffix[0]) != std::string_view::npos)
    return std::string(kArithmetic);
  return fmt::format("unknown unit \"{}\"; d, h, m, s, ms or us would be right", shown(suffix));
}

/// The unit called `suffix`, in lower case; the default one when it is empty.
std::optional<TimeUnit> time_unit(std::string_view suffix, std::uint64_t default_unit_ns) {
  if (suffix.empty()) return TimeUnit{"", default_unit_ns, default_unit_ns};
  const auto* unit = std::find_if(kTimeUnits.begin(), kTimeUnits.end(),
                                  [&](const TimeUnit& row) { return row.text == suffix; });
  if (unit == kTimeUnits.end()) return std::nullopt;
  return *unit;
}

}  // namespace

Read<std::uint64_t> read_size(std::string_view text) {
  if (std::string error = start_error(text); !error.empty()) return fail<std::uint64_t>(0, error);
  const Digits digits = scan(text);
  const std::string suffix = lower(text.substr(digits.end));
  if (suffix.starts_with('.')) return fail<std::uint64_t>(digits.end, fraction_error(text));
  const auto unit = size_suffix(suffix);
  if (!unit) return fail<std::uint64_t>(digits.end, suffix_error(suffix));
  // kb_base=1000 has no row: it would give every number of a file another meaning.
  const std::uint64_t factor = power(1024, unit->power);
  if (digits.too_large || digits.value > kLargest / factor) {
    return fail<std::uint64_t>(0, "too large; at most 2^64 - 1 bytes");
  }
  Read<std::uint64_t> out;
  out.value = digits.value * factor;
  // A multiple of 1000 is below that of 1024, so it can't overflow either.
  const std::uint64_t fio = digits.value * power(unit->thousand_in_fio ? 1000 : 1024, unit->power);
  if (fio != out.value) out.warning = fmt::format("{} bytes; fio 3.x takes {}", out.value, fio);
  return out;
}

Read<Amount> read_amount(std::string_view text) {
  Read<Amount> out;
  if (text.ends_with('%')) {
    const auto percent = read_number(text.substr(0, text.size() - 1));
    if (!percent.error.empty()) return fail<Amount>(percent.at, percent.error);
    if (percent.value > 100) return fail<Amount>(0, "must be at most 100%");
    out.value.percent = static_cast<std::uint32_t>(percent.value);
    return out;
  }
  auto bytes = read_size(text);
  out.value.bytes = bytes.value;
  out.error = std::move(bytes.error);
  out.warning = std::move(bytes.warning);
  out.at = bytes.at;
  return out;
}

Read<std::uint64_t> read_time(std::string_view text, std::uint64_t default_unit_ns) {
  if (std::string error = start_error(text); !error.empty()) return fail<std::uint64_t>(0, error);
  const Digits digits = scan(text);
  std::size_t suffix_at = digits.end;
  std::string_view decimals;
  if (text.substr(digits.end).starts_with('.')) {
    suffix_at = std::min(text.find_first_not_of("0123456789", digits.end + 1), text.size());
    // "1.s" is refused rather than read as 1s: a digit was probably lost.
    decimals = text.substr(digits.end + 1, suffix_at - digits.end - 1);
    if (decimals.empty())
      return fail<std::uint64_t>(digits.end, "digits are missing behind the point");
  }
  const std::string suffix = lower(text.substr(suffix_at));
  const auto unit = time_unit(suffix, default_unit_ns);
  if (!unit) return fail<std::uint64_t>(suffix_at, time_suffix_error(suffix));
  const auto fraction = fraction_of(decimals, unit->ns);
  if (!fraction) return fail<std::uint64_t>(digits.end, "finer than a nanosecond");
  if (digits.too_large || digits.value > (kLargest - *fraction) / unit->ns) {
    return fail<std::uint64_t>(0, "too large; at most 584 years");
  }
  Read<std::uint64_t> out;
  out.value = digits.value * unit->ns + *fraction;
  // fio cuts decimals: runtime=0.5 means no limit at all there. Its own overflow is not imitated.
  const std::uint64_t fio = std::min(digits.value, kLargest / unit->fio_ns) * unit->fio_ns;
  if (fio != out.value) {
    out.warning = fmt::format("{}; fio takes {}", spell_time(out.value, 0), spell_time(fio, 0));
  }
  return out;
}

Read<std::uint64_t> read_number(std::string_view text) {
  if (std::string error = start_error(text); !error.empty()) return fail<std::uint64_t>(0, error);
  const Digits digits = scan(text);
  if (digits.too_large) return fail<std::uint64_t>(0, "too large");
  Read<std::uint64_t> out;
  out.value = digits.value;
  // What is left decides which message helps.
  if (digits.end == text.size()) return out;
  if (text[digits.end] == '.')
    return fail<std::uint64_t>(digits.end, "a whole number would be right");
  if (const auto size = read_size(text); size.error.empty()) {
    return fail<std::uint64_t>(digits.end,
                               fmt::format("a suffix is not allowed here; write {}", size.value));
  }
  return fail<std::uint64_t>(
      digits.end, fmt::format("\"{}\" behind the number", shown(text.substr(digits.end))));
}

Read<double> read_decimal(std::string_view text) {
  if (std::string error = start_error(text); !error.empty()) return fail<double>(0, error);
  Read<double> out;
  const auto number =
      std::from_chars(text.data(), text.data() + text.size(), out.value, std::chars_format::fixed);
  const auto end = static_cast<std::size_t>(number.ptr - text.data());
  if (number.ec != std::errc{}) return fail<double>(0, "too large");
  if (end != text.size()) {
    return fail<double>(end, fmt::format("\"{}\" behind the number", shown(text.substr(end))));
  }
  return out;
}

std::string spell_size(std::uint64_t bytes) {
  constexpr std::string_view kLetters = "kmgtp";
  std::size_t letters = 0;
  while (bytes != 0 && bytes % 1024 == 0 && letters < kLetters.size()) {
    bytes /= 1024;
    ++letters;
  }
  return letters == 0 ? fmt::format("{}", bytes)
                      : fmt::format("{}{}", bytes, kLetters[letters - 1]);
}

std::string spell_amount(const Amount& amount) {
  return amount.percent != 0 ? fmt::format("{}%", amount.percent) : spell_size(amount.bytes);
}

std::string spell_time(std::uint64_t ns, std::uint64_t default_unit_ns) {
  if (default_unit_ns != 0 && ns % default_unit_ns == 0)
    return fmt::format("{}", ns / default_unit_ns);
  // No minutes and hours: "90s" is easier to compare with a run time than "1.5m".
  for (const std::string_view suffix : {"s", "ms", "us"}) {
    const std::uint64_t unit = time_unit(suffix, 0)->ns;
    if (ns % unit == 0) return fmt::format("{}{}", ns / unit, suffix);
  }
  return fmt::format("{}ns", ns);
}

}  // namespace chronio::jobs

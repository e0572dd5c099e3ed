// format.cpp: numbers, latencies and wrapped lines as text.
#include "report/format.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace chronio::report {
namespace {

constexpr std::array<std::string_view, 7> kSi = {"", "k", "M", "G", "T", "P", "E"};
constexpr std::array<std::string_view, 7> kIec = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};

/// `value` with as many decimals as fit `digits` places, the point being one; "" when not even none
/// do. From many decimals to none: the first that fits shows most.
std::string fitted(double value, int digits) {
  // Formatted, then measured: rounding can add a digit ("9.96" to "10.0"), which is what fio
  // misses.
  for (int decimals = digits - 2; decimals >= 0; --decimals) {
    std::string text = fmt::format("{:.{}f}", value, decimals);
    if (text.size() <= static_cast<std::size_t>(digits)) return text;
  }
  return {};
}

/// `value` with three figures: "1.42", "12.3", "123". By the length of the text, for the same
/// reason.
std::string three_figures(double value) {
  for (int decimals = 2; decimals > 0; --decimals) {
    std::string text = fmt::format("{:.{}f}", value, decimals);
    if (text.size() <= 4) return text;
  }
  return fmt::format("{:.0f}", value);
}

}  // namespace

std::string scaled(double value, int digits, Base base) {
  const auto& prefixes = base == Base::si ? kSi : kIec;
  value = std::round(value);
  std::string whole = fmt::format("{:.0f}", value);
  if (whole.size() <= static_cast<std::size_t>(digits)) return whole;
  for (std::size_t power = 1; power < prefixes.size(); ++power) {
    value /= static_cast<double>(base);
    const std::string text = fitted(value, digits);
    if (!text.empty()) return text + std::string(prefixes.at(power));
  }
  return fmt::format("{:.0f}{}", value, prefixes.back());
}

std::string iops_text(double iops) {
  // fio shows whole numbers only: a paced job of one I/O in three seconds has IOPS=0 there.
  if (iops >= 9.995) return scaled(iops, 4, Base::si);
  return fmt::format("{:.3g}", std::round(iops * 100) / 100);
}

std::string bytes_text(double bytes, Base base) { return scaled(bytes, 4, base) + "B"; }

std::string rate_text(double bytes_per_second, Base base) {
  return bytes_text(bytes_per_second, base) + "/s";
}

std::string latency_text(double ns) {
  constexpr std::array<std::string_view, 4> kUnits = {"ns", "us", "ms", "s"};
  std::size_t unit = 0;
  // 999.5 would be rounded to "1000 ns".
  while (unit + 1 < kUnits.size() && ns >= 999.5) {
    ns /= 1000;
    ++unit;
  }
  return fmt::format("{} {}", unit == 0 ? fmt::format("{:.0f}", ns) : three_figures(ns),
                     kUnits.at(unit));
}

std::string duration_text(double ns) {
  const double seconds = ns / 1e9;
  // Limits that round to the next form: never "10.00 s", never "60.0 s".
  if (seconds < 9.995) return fmt::format("{:.2f} s", seconds);
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = std::llround(seconds);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string significant(double value, int figures) {
  std::string text = fmt::format("{:.{}g}", value, figures);
  return text.find('e') == std::string::npos ? text : fmt::format("{:.0f}", value);
}

std::string counted(std::uint64_t n, std::string_view noun) {
  std::string digits = fmt::format("{}", n);
  // By hand, not by the locale, which may group otherwise or not at all.
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return fmt::format("{} {}{}", digits, noun, n == 1 ? "" : "s");
}

std::string percent_name(double percent) { return fmt::format("{}", percent); }

std::string glued(std::string text) {
  std::replace(text.begin(), text.end(), ' ', kGlue);
  return text;
}

std::string printable(std::string_view text) {
  std::string out(text);
  for (std::size_t at = 0; at < out.size(); ++at) {
    const auto code = static_cast<unsigned char>(out[at]);
    // In UTF-8 the C1 controls are C2 80 to C2 9F; some terminals obey them as they do ESC.
    const bool c1 = code >= 0x80 && code < 0xa0 && at > 0 && out[at - 1] == '\xc2';
    if (code < 0x20 || code == 0x7f || c1) out[at] = '?';
    if (c1) out[at - 1] = '?';
  }
  return out;
}

std::size_t columns(std::string_view text) noexcept {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char letter) {
    return (static_cast<unsigned char>(letter) & 0xc0U) != 0x80U;  // not a continuation byte
  }));
}

// Below 40 tables fall apart; beyond 80 lines are tiring to read, whatever the screen has.
int text_width(const Terminal& terminal) noexcept { return std::clamp(terminal.width, 40, 80); }

/// Greedy, word by word. Runs of spaces become one, except at the beginning of `head`.
std::string wrapped(std::string_view head, std::string_view text, std::size_t indent, int width) {
  std::string out(head);
  std::size_t used = columns(head);
  bool fresh = true;  // no word on this line yet
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (word.empty()) continue;
    if (!fresh && used + 1 + columns(word) > static_cast<std::size_t>(width)) {
      out += "\n" + std::string(indent, ' ');
      used = indent;
      fresh = true;
    }
    if (!fresh) out += ' ';
    out += word;
    used += columns(word) + (fresh ? 0 : 1);
    fresh = false;
  }
  out.erase(out.find_last_not_of(' ') + 1);
  std::replace(out.begin(), out.end(), kGlue, ' ');
  return out + "\n";
}

std::string inked(std::string_view text, Ink ink, const Terminal& terminal) {
  if (!terminal.color) return std::string(text);
  // The reset stands before the newline, so that no colour spreads to the next line.
  const std::string_view line = text.substr(0, text.find_last_not_of('\n') + 1);
  return fmt::format("\x1b[{}m{}\x1b[0m{}", ink == Ink::alarm ? "1;31" : "33", line,
                     text.substr(line.size()));
}

}  // namespace chronio::report

// diagnostic.cpp: a diagnostic as lines for a terminal: place, message, caret.
#include "jobs/diagnostic.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace chronio::jobs {
namespace {

// A job file has no limit to its lines, and a caret far outside the terminal helps nobody.
constexpr std::size_t kLongestLine = 160;  // bytes shown whole
constexpr std::size_t kAroundCaret = 60;   // bytes shown to the left of the caret of a longer one
constexpr std::size_t kLongestValue = 60;

/// Byte `at` is inside a UTF-8 character: 10xxxxxx.
bool continues(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80;
}

/// `at`, or the start of the character that it lies in. No more than three steps back: in text that
/// is no UTF-8 there may be no start at all.
std::size_t character_start(std::string_view text, std::size_t at) {
  for (int i = 0; i < 3 && at > 0 && continues(text, at); ++i) --at;
  return at;
}

struct Rune {
  std::uint32_t value = 0;
  std::size_t bytes = 0;  ///< 0: not UTF-8
};

/// Bytes of a character by its first one; 0: none starts so.
std::size_t length_of(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  return lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
}

/// The character at the start of `text`. REQUIRES: not empty. Source: RFC 3629, section 3: overlong
/// forms, surrogates and what lies above U+10FFFF are no UTF-8. A terminal that took an overlong
/// form would show what a check for the short one has missed.
Rune decode(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t bytes = length_of(lead);
  if (bytes <= 1) return {lead, bytes};
  std::uint32_t value = lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if (!continues(text, i)) return {};
    value = (value << 6) | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800,
                                      0x10000};  // below it there is a shorter form
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < kLeast[bytes] || surrogate || value > 0x10FFFF) return {};
  return {value, bytes};
}

bool is_printable(std::uint32_t rune) {
  const bool control = rune < 0x20 || (rune >= 0x7F && rune < 0xA0);
  // Marks that turn the direction of the text round could make a message say something else.
  const bool turns = (rune >= 0x202A && rune <= 0x202E) || (rune >= 0x2066 && rune <= 0x2069);
  return !control && !turns && rune != 0x2028 && rune != 0x2029;
}

/// Characters of printable text, for the place of the caret. One column each. Wide and combining
/// characters put the caret off by theirs, which no table here knows.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80;
  }));
}

/// A tab would move the caret by as much as the terminal pleases.
std::string without_tabs(std::string_view text) {
  std::string out(text);
  std::replace(out.begin(), out.end(), '\t', ' ');
  return out;
}

const char* word(Severity severity) {
  switch (severity) {
    case Severity::error: return "error";
    case Severity::warning: return "warning";
    case Severity::note: break;
  }
  return "note";
}

/// The line and a caret under `where.column`. A caret behind the end, as of a value that is
/// missing, stands right behind the line.
std::string excerpt(const Where& where) {
  const std::size_t caret = std::min<std::size_t>(where.column - 1, where.text.size());
  std::size_t from = 0;
  std::size_t to = where.text.size();
  if (where.text.size() > kLongestLine) {
    from = caret > kAroundCaret ? character_start(where.text, caret - kAroundCaret) : 0;
    to = character_start(where.text, std::min(from + kLongestLine, where.text.size()));
  }
  const std::string text = without_tabs(where.text);
  const std::string_view line = text;
  const char* before = from > 0 ? "..." : "";
  const char* after = to < text.size() ? "..." : "";
  // Escaped bytes take four columns: the caret is placed by what is shown, not by what was written.
  const std::string left = before + printable(line.substr(from, caret - from));
  return fmt::format("    {}{}{}\n    {:>{}}\n", before, printable(line.substr(from, to - from)),
                     after, "^", width(left) + 1);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Rune rune = decode(text);
    const std::size_t bytes = std::max<std::size_t>(rune.bytes, 1);
    if (rune.bytes > 0 && is_printable(rune.value)) {
      out += text.substr(0, bytes);
    } else {
      for (const char c : text.substr(0, bytes)) {
        out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
      }
    }
    text.remove_prefix(bytes);
  }
  return out;
}

std::string shown(std::string_view text) {
  if (text.size() <= kLongestValue) return printable(text);
  // Head and tail, so that two long paths in one folder are told apart.
  const std::size_t head = character_start(text, kLongestValue * 2 / 3);
  const std::size_t tail = character_start(text, text.size() - kLongestValue / 4);
  return printable(text.substr(0, head)) + "..." + printable(text.substr(tail));
}

std::string format(const Diagnostic& diagnostic) {
  const Where& where = diagnostic.where;
  std::string out;
  // The form of compilers, which editors know how to jump to.
  if (!where.file.empty()) out = printable(where.file) + ":";
  if (where.line > 0) out += fmt::format("{}:", where.line);
  if (!out.empty()) out += ' ';
  out += fmt::format("{}: {}\n", word(diagnostic.severity), printable(diagnostic.message));
  if (where.column > 0) out += excerpt(where);
  return out;
}

bool has_errors(const std::vector<Diagnostic>& diagnostics) noexcept {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& d) { return d.severity == Severity::error; });
}

}  // namespace chronio::jobs

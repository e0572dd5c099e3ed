// source_text.cpp: tells text from binary data and from other encodings, and cuts it into lines.
#include "jobs/source_text.hpp"

#include "jobs/parser.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace chronio::jobs {
namespace {

// Not isspace(3), which depends on the locale: in a Latin-1 one byte 0xA0 is a blank, and here it
// is part of a UTF-8 character.
constexpr std::string_view kBlanks = " \t\r\v\f";
constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
// With their lengths given: they hold NULs.
constexpr std::string_view kUtf32LittleMark("\xFF\xFE\0\0", 4);
constexpr std::string_view kUtf32BigMark("\0\0\xFE\xFF", 4);

/// Control characters but line ends and blanks. A CR is one only before a line end.
bool is_binary(std::string_view text, std::size_t at) {
  const auto c = static_cast<unsigned char>(text[at]);
  if (c == '\r') return at + 1 < text.size() && text[at + 1] != '\n' && text[at + 1] != '\r';
  return (c < 0x20 && c != '\n' && c != '\t' && c != '\v' && c != '\f') || c == 0x7F;
}

/// UTF-32 before UTF-16: its little-endian mark begins with that of the other.
const char* foreign_encoding(std::string_view text) {
  if (text.starts_with(kUtf32LittleMark) || text.starts_with(kUtf32BigMark)) return "UTF-32";
  if (text.starts_with("\xFF\xFE")) return "UTF-16 (little endian)";
  if (text.starts_with("\xFE\xFF")) return "UTF-16 (big endian)";
  return nullptr;
}

}  // namespace

bool is_blank(char c) noexcept { return kBlanks.find(c) != std::string_view::npos; }

std::string_view trim(std::string_view text) noexcept {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string_view without_mark(std::string_view text) noexcept {
  return text.starts_with(kUtf8Mark) ? text.substr(kUtf8Mark.size()) : text;
}

std::string_view take_line(std::string_view& text) noexcept {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  // All of them: a file that was converted twice ends its lines with CR CR LF.
  while (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::optional<std::string> not_a_job_file(std::string_view text) {
  if (const char* encoding = foreign_encoding(text)) {
    return fmt::format("not a job file: the text is {}; save it as UTF-8", encoding);
  }
  // Byte for byte before the size, so that a device's image is called binary, not too large.
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (is_binary(text, at)) return fmt::format("not a job file (binary data at byte {})", at + 1);
  }
  if (text.size() > kLargestJobFile) {
    return fmt::format("not a job file: {} bytes; at most {} would be right", text.size(),
                       kLargestJobFile);
  }
  return std::nullopt;
}

}  // namespace chronio::jobs

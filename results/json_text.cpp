// json_text.cpp: a JSON tree as text that people can read and every JSON reader takes.
#include "results/json_tree.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace chronio::results {
namespace {

/// Well-formed UTF-8 by its first byte; later bytes than the second are 0x80 to 0xBF.
/// Source: RFC 3629, section 4 (no overlong forms, no surrogates, up to U+10FFFF).
struct Form {
  unsigned char first_low, first_high, second_low, second_high;
  std::size_t length;
};
constexpr std::array<Form, 9> kForms = {{
    {0x00, 0x7F, 0x00, 0xFF, 1},
    {0xC2, 0xDF, 0x80, 0xBF, 2},
    {0xE0, 0xE0, 0xA0, 0xBF, 3},
    {0xE1, 0xEC, 0x80, 0xBF, 3},
    {0xED, 0xED, 0x80, 0x9F, 3},
    {0xEE, 0xEF, 0x80, 0xBF, 3},
    {0xF0, 0xF0, 0x90, 0xBF, 4},
    {0xF1, 0xF3, 0x80, 0xBF, 4},
    {0xF4, 0xF4, 0x80, 0x8F, 4},
}};

bool within(char c, unsigned char low, unsigned char high) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= low && byte <= high;
}

/// Whether a well-formed sequence of this form stands at the beginning of `text`.
bool begins_with(std::string_view text, const Form& form) {
  if (text.size() < form.length || !within(text[0], form.first_low, form.first_high)) return false;
  if (form.length > 1 && !within(text[1], form.second_low, form.second_high)) return false;
  const std::string_view rest =
      text.substr(0, form.length).substr(std::min(form.length, std::size_t{2}));
  return std::all_of(rest.begin(), rest.end(), [](char c) { return within(c, 0x80, 0xBF); });
}

/// Length of the UTF-8 sequence that `text` begins with; 0 when it begins with none.
std::size_t sequence_length(std::string_view text) {
  const auto* const form = std::find_if(kForms.begin(), kForms.end(),
                                        [&](const Form& each) { return begins_with(text, each); });
  return form == kForms.end() ? 0 : form->length;
}

/// Such an array gets a line for each item. Columns of numbers stay on one line: a line for each of
/// 4,864 buckets would be no easier to read.
bool holds_objects(const Json& array) {
  for (const Json& item : array)
    if (item.is_object() || (item.is_array() && holds_objects(item))) return true;
  return false;
}

/// Two blanks for each level, as fio.
void append_line(std::string& out, int depth) {
  out += '\n';
  out.append(static_cast<std::size_t>(depth) * 2, ' ');
}

void append(std::string& out, const Json& value, int depth);

/// fio's layout: two blanks, and " : " behind a key.
void append_object(std::string& out, const Json& object, int depth) {
  out += '{';
  const char* separator = "";
  for (const auto& [key, value] : object.items()) {
    out += separator;
    append_line(out, depth + 1);
    // The library escapes; only the layout is ours.
    out += Json(key).dump();
    out += " : ";
    append(out, value, depth + 1);
    separator = ",";
  }
  append_line(out, depth);
  out += '}';
}

void append_array(std::string& out, const Json& array, int depth) {
  out += '[';
  const char* separator = "";
  for (const Json& item : array) {
    out += separator;
    append_line(out, depth + 1);
    append(out, item, depth + 1);
    separator = ",";
  }
  append_line(out, depth);
  out += ']';
}

/// Whatever fits a line, empty containers too, is the library's.
void append(std::string& out, const Json& value, int depth) {
  if (value.is_object() && !value.empty()) {
    append_object(out, value, depth);
  } else if (value.is_array() && holds_objects(value)) {
    append_array(out, value, depth);
  } else {
    out += value.dump();
  }
}

}  // namespace

std::string text_of(const Json& tree) {
  std::string out;
  append(out, tree, 0);
  out += '\n';
  return out;
}

std::string utf8(std::string_view text) {
  constexpr const char* kHex = "0123456789abcdef";
  std::string out;
  // Byte by byte where it is none, so that what follows a broken sequence is kept.
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    if (length == 0) {
      const auto byte = static_cast<unsigned char>(text.front());
      out.append({'\\', 'x', kHex[byte >> 4], kHex[byte & 15]});
    } else {
      out.append(text.substr(0, length));
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

// JSON knows neither infinity nor NaN, and readers differ in what they take for one.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

}  // namespace chronio::results

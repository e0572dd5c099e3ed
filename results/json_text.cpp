// json_text.cpp: a JSON tree as text that people can read and every JSON reader takes.
#include "results/json_tree.hpp"

#include <cmath>

namespace chronio::results {
namespace {

/// Length of the UTF-8 sequence that `text` begins with; 0 when it begins with none.
/// Source: RFC 3629, section 4 (no overlong forms, no surrogates, up to U+10FFFF).
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xC2 && first <= 0xDF   ? 2
                             : first >= 0xE0 && first <= 0xEF ? 3
                             : first >= 0xF0 && first <= 0xF4 ? 4
                                                              : 0;
  if (length == 0 || text.size() < length) return 0;
  const unsigned low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i)
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  return length;
}

bool holds_objects(const Json& array) {
  for (const Json& item : array)
    if (item.is_object() || (item.is_array() && holds_objects(item))) return true;
  return false;
}

void append_line(std::string& out, int depth) {
  out += '\n';
  out.append(static_cast<std::size_t>(depth) * 2, ' ');
}

void append(std::string& out, const Json& value, int depth);

void append_object(std::string& out, const Json& object, int depth) {
  out += '{';
  const char* separator = "";
  for (const auto& [key, value] : object.items()) {
    out += separator;
    append_line(out, depth + 1);
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

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

}  // namespace chronio::results

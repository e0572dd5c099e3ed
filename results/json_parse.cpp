// json_parse.cpp: text to a JSON tree, with limits that no real result meets, and typed access to
// it.
#include "results/json.hpp"
#include "results/json_tree.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace chronio::results {
namespace {

// A result file may come from anywhere. What walks over a tree is recursive, so that a few MB of
// brackets would overflow the stack, and time to read an object grows with the square of its keys.
constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxKeys = 16'384;

/// "line 3, column 14" of byte `at` in `text`. For people: lines and columns from 1, columns in
/// bytes.
std::string position(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, std::min(at, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
  return fmt::format("line {}, column {}", line, before.size() - start + 1);
}

/// Where the document begins: the first line that starts with a brace.
std::size_t document_start(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t first = text.find_first_not_of(" \t\r\n", at);
    if (first == std::string_view::npos) break;
    if (text[first] == '{') return first;
    const std::size_t end = text.find('\n', first);
    if (end == std::string_view::npos) break;
    at = end;
  }
  throw ReadError("holds no JSON object: no line begins with '{'");
}

/// Walks over brackets outside strings; the parser would take any number of them. Knows nothing
/// else of JSON; what is malformed, the parser tells.
class LimitCheck {
 public:
  explicit LimitCheck(std::string_view text) : text_(text) {}

  void run(std::size_t at) {
    for (; at < text_.size(); ++at) {
      switch (text_[at]) {
        case '"': at = string_end(at); break;
        case '{':
        case '[': open(at); break;
        // Too many closing ones are the parser's to find.
        case '}':
        case ']': depth_ -= depth_ > 0 ? 1 : 0; break;
        case ':': count_key(at); break;
        default: break;
      }
    }
  }

 private:
  [[nodiscard]] std::size_t string_end(std::size_t at) const {
    while (++at < text_.size() && text_[at] != '"')
      if (text_[at] == '\\') ++at;
    return at;
  }

  void open(std::size_t at) {
    if (depth_ == kMaxDepth)
      throw ReadError(fmt::format("{}: more than {} levels", position(text_, at), kMaxDepth));
    keys_.at(depth_++) = 0;
  }

  void count_key(std::size_t at) {
    if (depth_ > 0 && ++keys_.at(depth_ - 1) > kMaxKeys)
      throw ReadError(
          fmt::format("{}: more than {} keys in one object", position(text_, at), kMaxKeys));
  }

  std::string_view text_;
  std::size_t depth_ = 0;
  std::array<std::size_t, kMaxDepth> keys_ = {};
};

/// What the parser says, without its own prefix and count of lines. Its line is counted from where
/// the document begins, not from the file's; position() replaces it.
std::string reason(const std::string& what) {
  for (const std::string_view mark : {"syntax error ", "] "}) {
    const std::size_t at = what.find(mark);
    if (at != std::string::npos) return utf8(what.substr(mark == "] " ? at + mark.size() : at));
  }
  return utf8(what);
}

}  // namespace

Json parse(std::string_view text) {
  if (text.size() > kLargestResult)
    throw ReadError(
        fmt::format("{} bytes: more than any result holds ({})", text.size(), kLargestResult));
  const std::size_t start = document_start(text);
  LimitCheck(text).run(start);
  const std::string_view document = text.substr(start);
  try {
    return Json::parse(document.begin(), document.end());
  } catch (const Json::parse_error& error) {
    // The parser counts from 1; 0 means that it can't tell.
    const std::size_t at = start + (error.byte > 0 ? error.byte - 1 : 0);
    throw ReadError(position(text, at) + ": " + reason(error.what()));
  } catch (const Json::exception& error) {
    throw ReadError(reason(error.what()));
  }
}

bool Node::has(const char* key) const {
  if (!json_->is_object()) return false;
  const auto found = json_->find(key);
  // null means "not measured" throughout, the same as an absent key.
  return found != json_->end() && !found->is_null();
}

Node Node::at(const char* key) const {
  const Json& members = object();
  const auto found = members.find(key);
  const std::string path = path_.empty() ? key : path_ + '.' + key;
  if (found == members.end()) throw ReadError(path + " is missing");
  return Node(*found, path);
}

Node Node::at(std::size_t index) const {
  return Node((*json_)[index], fmt::format("{}[{}]", path_, index));
}

std::size_t Node::size() const {
  if (!json_->is_array()) fail("an array");
  return json_->size();
}

// Some tools rewrite every number as a double. Below 2^63, so that the cast is defined.
std::uint64_t Node::count() const {
  if (json_->is_number_unsigned()) return json_->get<std::uint64_t>();
  constexpr double kLimit = 0x1p63;
  const double value = json_->is_number_float() ? json_->get<double>() : -1;
  if (!(value >= 0 && value < kLimit) || value != std::floor(value))
    fail("a whole number, not negative");
  return static_cast<std::uint64_t>(value);
}

std::int64_t Node::integer() const {
  const bool fits = json_->is_number_unsigned()
                        ? json_->get<std::uint64_t>() <= std::uint64_t{INT64_MAX}
                        : json_->is_number_integer();
  if (!fits) fail("a whole number");
  return json_->get<std::int64_t>();
}

double Node::real() const {
  if (!json_->is_number()) fail("a number");
  return json_->get<double>();
}

bool Node::boolean() const {
  if (!json_->is_boolean()) fail("true or false");
  return json_->get<bool>();
}

const std::string& Node::text() const {
  if (!json_->is_string()) fail("a string");
  return json_->get_ref<const std::string&>();
}

const Json& Node::object() const {
  if (!json_->is_object()) fail("an object");
  return *json_;
}

void Node::fail(std::string_view expected) const {
  constexpr std::size_t kShown = 40;
  // A whole object would fill the screen.
  std::string found = json_->is_structured() ? json_->type_name() : json_->dump();
  if (found.size() > kShown) found = found.substr(0, kShown) + "...";
  throw ReadError(
      fmt::format("{}: {} where {} belongs", path_.empty() ? "top" : path_, utf8(found), expected));
}

}  // namespace chronio::results

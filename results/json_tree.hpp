// json_tree.hpp: the JSON tree between text and structs. Internal to results.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace chronio::results {

/// Keys stay in the order in which they were added, as fio writes them. Look-up is linear: parse()
/// limits the keys of one object.
using Json = nlohmann::ordered_json;

/// JSON text of `tree`, two blanks of indentation, newline at the end. An array stays on one line
/// unless it holds objects. REQUIRES: strings are UTF-8 (see utf8()), numbers finite (see
/// number()).
[[nodiscard]] std::string text_of(const Json& tree);

/// The tree of `text`, which may begin with lines that are no JSON, as fio writes notes to its
/// standard output. Throws ReadError with line and column: on broken or cut-off text, on more than
/// 64 levels, 16,384 keys in an object or kLargestResult bytes.
[[nodiscard]] Json parse(std::string_view text);

/// `text` where every byte that is not part of valid UTF-8 has become the four characters \xNN.
/// Names of files are bytes, and one of them must not spoil the document. Not undone by reading.
[[nodiscard]] std::string utf8(std::string_view text);

/// `value`, or null where JSON has no number for it.
[[nodiscard]] Json number(double value);

/// A place in a tree that knows its path ("jobs[0].read.iops"), so that a mistake is reported with
/// it. Borrows the tree, which has to outlive it.
class Node {
 public:
  explicit Node(const Json& json, std::string path = "") : json_(&json), path_(std::move(path)) {}

  [[nodiscard]] bool has(const char* key) const;   ///< present and not null
  [[nodiscard]] Node at(const char* key) const;    ///< throws ReadError when absent or no object
  [[nodiscard]] Node at(std::size_t index) const;  ///< REQUIRES: index < size()
  [[nodiscard]] std::size_t size() const;          ///< throws ReadError when no array

  // Each throws ReadError when the value is of another type or out of range.
  [[nodiscard]] std::uint64_t count() const;  ///< a whole number, also when written as 3.000
  [[nodiscard]] std::int64_t integer() const;
  [[nodiscard]] double real() const;
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] const std::string& text() const;
  [[nodiscard]] const Json& object() const;

  /// For what the typed access does not cover.
  [[nodiscard]] const Json& json() const noexcept { return *json_; }

  /// Throws ReadError: this path, what was found, and `expected`.
  [[noreturn]] void fail(std::string_view expected) const;

 private:
  const Json* json_;
  std::string path_;
};

/// Any value to a tree and back; json_fields.hpp defines them, some types specialise them. Declared
/// here, so that a specialisation comes before the first use.
template <class T>
Json to_tree(const T& value);
template <class T>
void from_tree(const Node& node, T& value);

}  // namespace chronio::results

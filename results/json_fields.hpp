// json_fields.hpp: structs to and from JSON objects by one list of members, so that what is written
// is what is read. A struct joins with `describe(fields, value)`. Internal to results.
#pragma once

#include "results/json_tree.hpp"
#include "stats/moments.hpp"

#include <array>
#include <concepts>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace chronio::results {

/// T or const T: one describe() serves both directions, writing a constant and reading into a
/// variable.
template <class T, class Plain>
concept Like = std::same_as<std::remove_const_t<T>, Plain>;

/// Puts members into an object, in the order of the calls, which is that of the file.
class WriteFields {
 public:
  template <class T>
  void operator()(const char* key, const T& value) {
    object[key] = to_tree(value);
  }

  Json object = Json::object();
};

/// Takes members out of an object, in any order. Throws ReadError when one is missing or of another
/// type. Members that nobody asks for are passed over.
class ReadFields {
 public:
  explicit ReadFields(const Node& node) : node_(node) {}

  template <class T>
  void operator()(const char* key, T& value) {
    from_tree(node_.at(key), value);
  }

 private:
  const Node& node_;
};

/// 128 bits as decimal digits: a JSON number of that size would be read as a double and lose its
/// last digits.
[[nodiscard]] std::string decimal(stats::Uint128 value);
/// The way back, from a string of digits. Throws ReadError for anything else, and from 2^128 on.
[[nodiscard]] stats::Uint128 decimal(const Node& node);

/// What a type is a template of: to_tree() and from_tree() choose by it.
template <class T>
inline constexpr bool kIsVector = false;
template <class T>
inline constexpr bool kIsVector<std::vector<T>> = true;
template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
inline constexpr bool kIsArray = false;
template <class T, std::size_t N>
inline constexpr bool kIsArray<std::array<T, N>> = true;

/// Any value as JSON: enumerations by their name(), an empty optional and a double that is not
/// finite as null, structs by describe(). A type that is written otherwise specialises it.
template <class T>
Json to_tree(const T& value) {
  if constexpr (std::same_as<T, std::string>) {
    return utf8(value);
  } else if constexpr (std::same_as<T, stats::Uint128>) {
    return decimal(value);
  } else if constexpr (std::floating_point<T>) {
    return number(value);
  } else if constexpr (std::is_arithmetic_v<T>) {
    return Json(value);
  } else if constexpr (std::is_enum_v<T>) {
    return name(value);
  } else if constexpr (kIsOptional<T>) {
    return value ? to_tree(*value) : Json(nullptr);
  } else if constexpr (kIsVector<T> || kIsArray<T>) {
    Json array = Json::array();
    for (const auto& item : value) array.push_back(to_tree(item));
    return array;
  } else {
    WriteFields fields;
    describe(fields, value);
    return std::move(fields.object);
  }
}

/// The enumerator of that name(). REQUIRES: enumerators count from 0 without gaps, and name()
/// answers "unknown" behind the last. Throws ReadError.
template <class T>
void enumerator_from_tree(const Node& node, T& value) {
  for (std::uint8_t i = 0; std::string_view(name(static_cast<T>(i))) != "unknown"; ++i) {
    value = static_cast<T>(i);
    if (node.text() == name(value)) return;
  }
  node.fail("one of the known words");
}

/// A whole number that T can hold. Throws ReadError instead of cutting it.
template <std::integral T>
void integer_from_tree(const Node& node, T& value) {
  if constexpr (std::unsigned_integral<T>) {
    const std::uint64_t found = node.count();
    if (found > std::numeric_limits<T>::max()) node.fail("a smaller number");
    value = static_cast<T>(found);
  } else {
    const std::int64_t found = node.integer();
    if (!std::in_range<T>(found)) node.fail("a number nearer to zero");
    value = static_cast<T>(found);
  }
}

/// A vector takes the array's length; an array has to have its own. Throws ReadError.
template <class T>
void items_from_tree(const Node& node, T& items) {
  const std::size_t size = node.size();
  if constexpr (kIsVector<T>) {
    items.resize(size);
  } else if (size != items.size()) {
    node.fail("an array of another length");
  }
  for (std::size_t i = 0; i < size; ++i) from_tree(node.at(i), items[i]);
}

/// The way back; what to_tree() wrote as null is an empty optional or 0. Throws ReadError. After
/// that `value` may be set in part: the whole run is thrown away then.
template <class T>
void from_tree(const Node& node, T& value) {
  if constexpr (std::same_as<T, std::string>) {
    value = node.text();
  } else if constexpr (std::same_as<T, bool>) {
    value = node.boolean();
  } else if constexpr (std::same_as<T, stats::Uint128>) {
    value = decimal(node);
  } else if constexpr (std::is_enum_v<T>) {
    enumerator_from_tree(node, value);
  } else if constexpr (std::integral<T>) {
    integer_from_tree(node, value);
  } else if constexpr (std::floating_point<T>) {
    value = node.json().is_null() ? T{} : static_cast<T>(node.real());
  } else if constexpr (kIsOptional<T>) {
    value.reset();
    if (!node.json().is_null()) from_tree(node, value.emplace());
  } else if constexpr (kIsVector<T> || kIsArray<T>) {
    items_from_tree(node, value);
  } else {
    ReadFields fields(node);
    describe(fields, value);
  }
}

}  // namespace chronio::results

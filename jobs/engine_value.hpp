// engine_value.hpp: an ioengine's option as text to a number, by a rule in plain data: jobs knows
// no engines.
#pragma once

#include "jobs/parser.hpp"
#include "jobs/units.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace chronio::jobs {

enum class ValueType : std::uint8_t { flag, number, choice, text };
enum class ValueUnit : std::uint8_t { none, bytes, nanoseconds, percent };

/// What an option takes; the fields of the engine contract's OptionDecl.
struct ValueRule {
  ValueType type = ValueType::text;
  ValueUnit unit = ValueUnit::none;
  std::int64_t minimum = 0;
  std::int64_t maximum = 0;
  const char* const* choices = nullptr;  ///< ends with a null pointer; null unless a choice
};

/// The number that `text` stands for: 0 or 1 of a flag, a number in the rule's unit (a bare one is
/// in it too), the index of a choice, 0 for a text. Nothing stands for a bare key, which only a
/// flag may be.
[[nodiscard]] Read<std::int64_t> read_value(const ValueRule& rule,
                                            std::optional<std::string_view> text);

/// The same for a setting; what is wrong is in `diagnostic`, with its place.
[[nodiscard]] std::optional<std::int64_t> read_setting(const ValueRule& rule,
                                                       const Setting& setting,
                                                       std::optional<Diagnostic>& diagnostic);

}  // namespace chronio::jobs

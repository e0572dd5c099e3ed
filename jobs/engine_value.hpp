// engine_value.hpp: an ioengine's option as text to a number, by a rule in plain data: jobs knows
// no engines.
#pragma once

#include "jobs/parser.hpp"
#include "jobs/units.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace chronio::jobs {

/// The kinds of value that an ioengine's option can have.
enum class ValueType : std::uint8_t { flag, number, choice, text };
/// What a number is in. Times are in ns here, whereas a job's own are in the unit of their row.
enum class ValueUnit : std::uint8_t { none, bytes, nanoseconds, percent };

/// What an option takes; the fields of the engine contract's OptionDecl, copied by the plan, so
/// that neither side includes the other.
struct ValueRule {
  ValueType type = ValueType::text;
  ValueUnit unit = ValueUnit::none;
  /// Both ends are allowed. They hold for numbers only.
  std::int64_t minimum = 0;
  std::int64_t maximum = 0;
  /// Borrowed from the engine, which stays loaded.
  const char* const* choices = nullptr;  ///< ends with a null pointer; null unless a choice
};

/// The number that `text` stands for: 0 or 1 of a flag, a number in the rule's unit (a bare one is
/// in it too), the index of a choice, 0 for a text. Nothing stands for a bare key, which only a
/// flag may be. Negative numbers are read only where the rule's minimum is below 0.
[[nodiscard]] Read<std::int64_t> read_value(const ValueRule& rule,
                                            std::optional<std::string_view> text);

/// The same for a setting; what is wrong is in `diagnostic`, with its place. std::nullopt exactly
/// when that is an error; with a warning there is a value too.
[[nodiscard]] std::optional<std::int64_t> read_setting(const ValueRule& rule,
                                                       const Setting& setting,
                                                       std::optional<Diagnostic>& diagnostic);

}  // namespace chronio::jobs

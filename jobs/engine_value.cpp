// engine_value.cpp: engine options read by the same rules as a job's own.
#include "jobs/engine_value.hpp"

#include "jobs/messages.hpp"

#include <fmt/format.h>
#include <limits>

namespace chronio::jobs {
namespace {

// The contract hands numbers over as 64 bits with a sign.
constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

Read<std::int64_t> refuse(std::string error) {
  Read<std::int64_t> out;
  out.error = std::move(error);
  return out;
}

Read<std::uint64_t> read_unsigned(ValueUnit unit, std::string_view text) {
  switch (unit) {
    case ValueUnit::bytes: return read_size(text);
    // A bare number is in the rule's unit, so here in ns.
    case ValueUnit::nanoseconds: return read_time(text, 1);
    case ValueUnit::percent:
      return read_number(text.substr(0, text.size() - (text.ends_with('%') ? 1 : 0)));
    case ValueUnit::none: break;
  }
  return read_number(text);
}

/// Range and sign behind the unit: "must be at least" is told in the rule's unit.
Read<std::int64_t> read_number_of(const ValueRule& rule, std::string_view text) {
  // The readers of jobs know no sign. It is taken off only where a negative number can be right, so
  // that "-1" is elsewhere refused as negative, not as too small.
  const bool negative = rule.minimum < 0 && text.starts_with('-');
  auto read = read_unsigned(rule.unit, text.substr(negative ? 1 : 0));
  Read<std::int64_t> out;
  out.error = std::move(read.error);
  out.warning = std::move(read.warning);
  out.at = read.at + (negative ? 1 : 0);
  if (!out.error.empty()) return out;
  if (read.value > kLargest) return refuse("too large");
  const auto value = static_cast<std::int64_t>(read.value);
  out.value = negative ? -value : value;
  if (out.value < rule.minimum) out.error = fmt::format("must be at least {}", rule.minimum);
  if (out.value > rule.maximum) out.error = fmt::format("must be at most {}", rule.maximum);
  return out;
}

Read<std::int64_t> read_choice(const ValueRule& rule, std::string_view text) {
  Read<std::int64_t> out;
  // Exact words, as fio: "Poll" is not "poll". All of them are in the message, for they are few.
  std::string all;
  for (const char* const* choice = rule.choices; choice != nullptr && *choice != nullptr;
       ++choice) {
    if (text == *choice) return out;
    all += fmt::format("{}{}", all.empty() ? "" : ", ", *choice);
    ++out.value;
  }
  return refuse(fmt::format("{} is none of {}", shown(text), all));
}

}  // namespace

Read<std::int64_t> read_value(const ValueRule& rule, std::optional<std::string_view> text) {
  // A bare key and "key=" are two mistakes: the second has most often lost a variable's value.
  if (!text && rule.type != ValueType::flag) return refuse("needs a value");
  if (text && text->empty()) return refuse("the value is missing");
  Read<std::int64_t> out;
  switch (rule.type) {
    case ValueType::flag:
      if (text && *text != "0" && *text != "1") return refuse("must be 0 or 1");
      out.value = !text || *text == "1" ? 1 : 0;
      return out;
    case ValueType::number: return read_number_of(rule, *text);
    case ValueType::choice: return read_choice(rule, *text);
    case ValueType::text: break;
  }
  return out;
}

std::optional<std::int64_t> read_setting(const ValueRule& rule, const Setting& setting,
                                         std::optional<Diagnostic>& diagnostic) {
  const auto text =
      setting.has_value ? std::optional<std::string_view>(setting.value) : std::nullopt;
  const auto read = read_value(rule, text);
  if (!read.error.empty()) {
    diagnostic = about(setting, Severity::error, read.error, read.at);
    return std::nullopt;
  }
  if (!read.warning.empty()) diagnostic = about(setting, Severity::warning, read.warning);
  return read.value;
}

}  // namespace chronio::jobs

// spell.cpp: an option's effective value as text that the parser reads back to the same value.
#include "jobs/options.hpp"
#include "jobs/units.hpp"
#include "jobs/values.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <type_traits>

namespace chronio::jobs {
namespace {

std::string text_of(const OptionRow& row, bool value) {
  return value != row.complement ? "1" : "0";
}

/// A complement is spelled as its own key has it: rwmixwrite=30 where the field holds 70.
std::string text_of(const OptionRow& row, std::uint64_t value) {
  switch (row.unit) {
    case Unit::bytes: return spell_size(value);
    case Unit::seconds:
    case Unit::microseconds: return spell_time(value, unit_ns(row.unit));
    case Unit::none:
    case Unit::percent: break;
  }
  return fmt::format("{}", row.complement ? row.maximum - value : value);
}

std::string text_of(const OptionRow& row, std::uint32_t value) {
  return text_of(row, std::uint64_t{value});
}

std::string text_of(const OptionRow& row, const std::optional<std::uint64_t>& value) {
  return value ? text_of(row, *value) : std::string();
}

std::string text_of(const OptionRow& /*row*/, const std::string& value) { return value; }

std::string text_of(const OptionRow& /*row*/, const Amount& value) { return spell_amount(value); }

std::string text_of(const OptionRow& /*row*/, const std::optional<Amount>& value) {
  return value ? spell_amount(*value) : std::string();
}

/// One size where all are alike, else all three, though fio would let equal ones at the end be left
/// out: a reader need not know the rule.
std::string text_of(const OptionRow& /*row*/, const PerDdir<std::uint64_t>& value) {
  if (value[0] == value[1] && value[1] == value[2]) return spell_size(value[0]);
  return fmt::format("{},{},{}", spell_size(value[0]), spell_size(value[1]), spell_size(value[2]));
}

/// Colons inside a name are escaped, the reverse of unescape() in values.cpp.
std::string text_of(const OptionRow& /*row*/, const std::vector<std::string>& value) {
  std::string out;
  for (const std::string& name : value) {
    if (&name != value.data()) out += ':';
    for (const char c : name) {
      if (c == ':') out += '\\';
      out += c;
    }
  }
  return out;
}

std::string text_of(const OptionRow& /*row*/, const std::vector<double>& value) {
  return fmt::format("{}", fmt::join(value, ":"));
}

/// Neighbours become a range, as cpus_allowed is written by people and by /proc/PID/status.
std::string text_of(const OptionRow& /*row*/, const std::vector<std::uint32_t>& value) {
  std::string out;
  for (std::size_t i = 0; i < value.size();) {
    std::size_t last = i;
    while (last + 1 < value.size() && value[last + 1] == value[last] + 1) ++last;
    out += fmt::format("{}{}", out.empty() ? "" : ",", value[i]);
    if (last > i) out += fmt::format("-{}", value[last]);
    i = last + 1;
  }
  return out;
}

/// The first word with that number: synonyms come later in the table.
template <class T>
requires std::is_enum_v<T> std::string text_of(const OptionRow& row, T value) {
  const auto word = std::find_if(row.words.begin(), row.words.end(), [&](const Word& candidate) {
    return candidate.value == static_cast<std::uint8_t>(value);
  });
  return word == row.words.end() ? std::string() : std::string(word->text);
}

}  // namespace

std::string spell(const OptionRow& row, const Job& job) {
  // Overload resolution picks by the field's type: one that is missing does not compile.
  return std::visit([&](auto member) { return text_of(row, job.*member); }, row.field);
}

}  // namespace chronio::jobs

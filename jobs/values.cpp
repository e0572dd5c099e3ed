// values.cpp: one generic setter: std::visit over the type of a row's field.
#include "jobs/values.hpp"

#include "jobs/units.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <type_traits>

namespace chronio::jobs {
namespace {

Applied refuse(std::size_t at, std::string error) {
  Applied out;
  out.error = std::move(error);
  out.at = static_cast<std::uint32_t>(at);
  return out;
}

/// `value` in the row's unit, for a message about its range. Spelled as the user would write it:
/// 1g, not 1073741824.
std::string limit_text(const OptionRow& row, std::uint64_t value) {
  switch (row.unit) {
    case Unit::bytes: return spell_size(value);
    case Unit::percent: return fmt::format("{}%", value);
    case Unit::seconds:
    case Unit::microseconds: return spell_time(value, 0);
    case Unit::none: break;
  }
  return fmt::format("{}", value);
}

/// What is wrong with the size of `value`; empty when nothing is. The reason of a maximum is told
/// where the row has one: a limit without a reason looks like a whim.
std::string range_error(const OptionRow& row, std::uint64_t value) {
  if (value < row.minimum) return fmt::format("must be at least {}", limit_text(row, row.minimum));
  if (value <= row.maximum) return {};
  const std::string most = fmt::format("must be at most {}", limit_text(row, row.maximum));
  return row.limit.empty() ? most : fmt::format("{} ({})", most, row.limit);
}

/// Reads a number in the row's unit and checks its range. Percentages may have their sign or not.
Read<std::uint64_t> read_in_unit(const OptionRow& row, std::string_view text) {
  Read<std::uint64_t> out;
  switch (row.unit) {
    case Unit::bytes: out = read_size(text); break;
    case Unit::seconds:
    case Unit::microseconds: out = read_time(text, unit_ns(row.unit)); break;
    case Unit::percent:
      out = read_number(text.substr(0, text.size() - (text.ends_with('%') ? 1 : 0)));
      break;
    case Unit::none: out = read_number(text); break;
  }
  if (out.error.empty()) out.error = range_error(row, out.value);
  return out;
}

/// What an outcome says beside its value, with the place moved by `from`. A part of a list has its
/// places counted from its own beginning.
template <class T>
Applied outcome(Read<T>&& read, std::size_t from = 0) {
  Applied out;
  out.error = std::move(read.error);
  out.warning = std::move(read.warning);
  out.at = read.at + static_cast<std::uint32_t>(from);
  return out;
}

/// Nothing but 0 and 1, as in fio: "yes" and "true" are mistakes there, too.
Applied read_into(const OptionRow& row, std::string_view text, bool& value) {
  if (text != "0" && text != "1") return refuse(0, "must be 0 or 1");
  value = (text == "1") != row.complement;
  return {};
}

Applied read_into(const OptionRow& row, std::string_view text, std::uint64_t& value) {
  auto read = read_in_unit(row, text);
  // A complement's maximum is what the two add up to: 100 for rwmixwrite.
  if (read.error.empty()) value = row.complement ? row.maximum - read.value : read.value;
  return outcome(std::move(read));
}

Applied read_into(const OptionRow& row, std::string_view text, std::uint32_t& value) {
  std::uint64_t wide = value;
  Applied out = read_into(row, text, wide);
  value = static_cast<std::uint32_t>(wide);  // rows of 32 bits have a maximum below 2^32
  return out;
}

Applied read_into(const OptionRow& row, std::string_view text,
                  std::optional<std::uint64_t>& value) {
  std::uint64_t number = 0;
  Applied out = read_into(row, text, number);
  if (out.error.empty()) value = number;
  return out;
}

Applied read_into(const OptionRow& row, std::string_view text, std::string& value) {
  if (text.size() > row.maximum) {
    return refuse(
        0, fmt::format("has {} bytes; at most {} would be right ({})", text.size(), row.maximum,
                       row.limit.empty() ? "the length of a path" : row.limit));
  }
  value = text;
  return {};
}

/// A percentage has its own range, 0 to 100; the row's is of bytes.
Applied read_into(const OptionRow& row, std::string_view text, Amount& value) {
  auto read = read_amount(text);
  if (read.error.empty() && read.value.percent == 0)
    read.error = range_error(row, read.value.bytes);
  if (read.error.empty()) value = read.value;
  return outcome(std::move(read));
}

// As in fio, 0 stands for "not given".
Applied read_into(const OptionRow& row, std::string_view text, std::optional<Amount>& value) {
  Amount amount;
  Applied out = read_into(row, text, amount);
  if (!out.error.empty()) return out;
  // 0% can't be told from "not given", and surely means something else.
  if (amount == Amount{} && text.ends_with('%')) return refuse(0, "must be at least 1%");
  value = amount == Amount{} ? std::nullopt : std::optional(amount);
  return out;
}

/// "read,write,trim": a missing one is as the one before it, an empty one stays as it is, the
/// default or what [global] gave: bs=,8k leaves reads alone.
Applied read_into(const OptionRow& row, std::string_view text, PerDdir<std::uint64_t>& value) {
  PerDdir<std::uint64_t> values = value;
  Applied out;
  std::size_t count = 0;
  split(text, ',', [&](std::string_view part, std::size_t from) {
    if (count == values.size()) {
      out = refuse(from, "more than three values; read,write,trim would be right");
      return false;
    }
    if (!part.empty()) {
      auto read = read_in_unit(row, part);
      // fio takes 4k-8k for two values, reads and writes, without a word.
      if (part.find('-') != std::string_view::npos && part[0] != '-') {
        read.error = "a range of sizes is bsrange= in fio, which is not done yet";
      }
      values[count] = read.value;
      Applied one = outcome(std::move(read), from);
      // The first warning stays, an error replaces it.
      if (!one.error.empty() || out.warning.empty()) out = std::move(one);
    }
    ++count;
    return out.error.empty();
  });
  if (!out.error.empty()) return out;
  // fio's rule: trims are as writes, writes as reads.
  for (std::size_t i = count; i < values.size(); ++i) values[i] = values[i - 1];
  value = values;
  return out;
}

Applied too_many(const OptionRow& row, std::size_t from) {
  return refuse(from, fmt::format("more than {} entries", row.most_entries));
}

/// Only a colon is escaped; a backslash in front of anything else is a part of the name.
std::string unescape(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '\\' && i + 1 < name.size() && name[i + 1] == ':') continue;
    out += name[i];
  }
  return out;
}

Applied read_into(const OptionRow& row, std::string_view text, std::vector<std::string>& value) {
  std::vector<std::string> names;
  Applied out;
  split(text, ':', [&](std::string_view part, std::size_t from) {
    names.push_back(unescape(part));
    if (part.empty()) out = refuse(from, "an empty name in the list");
    // It would escape the colon that joins the list when it is spelled.
    if (part.ends_with('\\')) out = refuse(from, "a name can't end in \"\\\"");
    if (names.size() > row.most_entries) out = too_many(row, from);
    return out.error.empty();
  });
  value = std::move(names);
  return out;
}

/// One entry of a percentile list; what is wrong with it, or nothing.
Read<double> read_percentile(const OptionRow& row, std::string_view text) {
  // Two percentiles that differ later would have one key in the result file.
  constexpr std::size_t kMostDecimals = 6;  // those of the keys in fio's JSON
  auto out = read_decimal(text);
  if (!out.error.empty()) return out;
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::size_t end = text.find_last_not_of('0') + 1;
  if (out.value <= 0 || out.value > static_cast<double>(row.maximum)) {
    out.error = fmt::format("must be above 0 and at most {} (percent)", row.maximum);
  } else if (end > point + 1 + kMostDecimals) {
    out.error = fmt::format("more than {} decimals", kMostDecimals);
  }
  return out;
}

Applied read_into(const OptionRow& row, std::string_view text, std::vector<double>& value) {
  std::vector<double> values;
  Applied out;
  split(text, ':', [&](std::string_view part, std::size_t from) {
    auto read = read_percentile(row, part);
    values.push_back(read.value);
    out = outcome(std::move(read), from);
    if (values.size() > row.most_entries) out = too_many(row, from);
    return out.error.empty();
  });
  if (!out.error.empty()) return out;
  // Ascending, as readers of the report and of fio's JSON expect them.
  std::sort(values.begin(), values.end());
  const auto repeated = std::unique(values.begin(), values.end());
  if (repeated != values.end()) out.note = "an entry that stands there twice is taken once";
  values.erase(repeated, values.end());
  value = std::move(values);
  return out;
}

/// "3" or "0-3" of a list of CPUs, marked in `chosen`. REQUIRES: room for the row's maximum.
Applied read_cpus(const OptionRow& row, std::string_view text, std::vector<bool>& chosen) {
  const std::size_t dash = text.empty() ? std::string_view::npos : text.find('-', 1);
  auto first = read_in_unit(row, text.substr(0, dash));
  if (!first.error.empty()) return outcome(std::move(first));
  std::uint64_t last = first.value;
  if (dash != std::string_view::npos) {
    auto end = read_in_unit(row, text.substr(dash + 1));
    if (!end.error.empty()) return outcome(std::move(end), dash + 1);
    last = end.value;
  }
  if (last < first.value) {
    return refuse(0, fmt::format("the range goes down; {}-{} would be right", last, first.value));
  }
  for (std::uint64_t cpu = first.value; cpu <= last; ++cpu) chosen[cpu] = true;
  return {};
}

Applied read_into(const OptionRow& row, std::string_view text, std::vector<std::uint32_t>& value) {
  // A set: "0-3,2" names CPU 2 once, and the order of CPUs means nothing.
  std::vector<bool> chosen(row.maximum + 1);
  std::size_t entries = 0;
  Applied out;
  split(text, ',', [&](std::string_view part, std::size_t from) {
    out = read_cpus(row, part, chosen);
    out.at += static_cast<std::uint32_t>(from);
    if (++entries > row.most_entries) out = too_many(row, from);
    return out.error.empty();
  });
  if (!out.error.empty()) return out;
  value.clear();
  for (std::uint32_t cpu = 0; cpu < chosen.size(); ++cpu) {
    if (chosen[cpu]) value.push_back(cpu);
  }
  return out;
}

std::string words_of(const OptionRow& row) {
  std::string out;
  for (const Word& word : row.words) out += fmt::format("{}{}", out.empty() ? "" : ", ", word.text);
  return out;
}

template <class T>
requires std::is_enum_v<T> Applied read_into(const OptionRow& row, std::string_view text,
                                             T& value) {
  // fio takes whatever follows the first ":" or "," of any word for the option's own; only where it
  // has a meaning is it cut off here.
  const std::size_t colon = row.postfix ? text.find(':') : std::string_view::npos;
  const std::string_view name = text.substr(0, colon);
  const auto word = std::find_if(row.words.begin(), row.words.end(),
                                 [&](const Word& candidate) { return candidate.text == name; });
  if (word == row.words.end()) {
    return refuse(0, fmt::format("{} is none of {}", shown(name), words_of(row)));
  }
  if (colon != std::string_view::npos) {
    const std::size_t minus = text.substr(colon + 1).starts_with('-') ? 1 : 0;  // backwards
    // Checked all the same: a mistake in it is told as such, not as something that is yet to be
    // done.
    auto postfix = read_size(text.substr(colon + 1 + minus));
    if (postfix.error.empty())
      postfix.error = fmt::format("\":N\" behind {} is not done yet", name);
    return outcome(std::move(postfix), colon + 1);
  }
  value = static_cast<T>(word->value);
  return {};
}

}  // namespace

std::uint64_t unit_ns(Unit unit) noexcept {
  switch (unit) {
    case Unit::seconds: return 1'000'000'000;
    case Unit::microseconds: return 1'000;
    case Unit::none:
    case Unit::bytes:
    case Unit::percent: break;
  }
  return 0;
}

Applied apply(const OptionRow& row, std::optional<std::string_view> text, bool append, Job& job) {
  if (!text && !row.bare) return refuse(0, fmt::format("needs a value: {}=...", row.key));
  if (text && text->empty()) return refuse(0, "the value is missing");
  // A list of names is read apart, because after an error the field has to be as it was.
  const auto set = [&](auto member) {
    auto& field = job.*member;
    if constexpr (std::is_same_v<decltype(member), std::vector<std::string> Job::*>) {
      std::vector<std::string> names;
      Applied out = read_into(row, *text, names);
      if (!out.error.empty()) return out;
      if (!append) field.clear();
      std::move(names.begin(), names.end(), std::back_inserter(field));
      return out;
    } else {
      return read_into(row, text.value_or("1"), field);
    }
  };
  return std::visit(set, row.field);
}

}  // namespace chronio::jobs

// messages.cpp: builds a diagnostic from a setting and what is wrong with it.
#include "jobs/messages.hpp"

#include "jobs/options/groups.hpp"
#include "jobs/source_text.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace chronio::jobs {
namespace {

/// Cut and escaped: it is the user's text.
std::string spelled(const Setting& setting) {
  if (!setting.has_value) return shown(setting.key);
  return fmt::format("{}={}", shown(setting.key), shown(setting.value));
}

/// True when the line holds the value as it is, no variable replaced.
bool is_literal(const Setting& setting) {
  return setting.value_column > 0 && setting.value_column <= setting.where.text.size() &&
         std::string_view(setting.where.text)
             .substr(setting.value_column - 1)
             .starts_with(setting.value);
}

/// Whether `word` is one of the blank-separated `words`, whole.
bool has_word(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

}  // namespace

Diagnostic about(const Setting& setting, Severity severity, std::string_view message,
                 std::uint32_t at) {
  Diagnostic out{severity, setting.where, fmt::format("{}: {}", spelled(setting), message)};
  // On the command line there is no line to point into: the caret stays where the setting says.
  if (setting.value_column > 0)
    out.where.column = setting.value_column + (is_literal(setting) ? at : 0);
  return out;
}

Diagnostic foreign_option(const ForeignOption& option, const Setting& setting) {
  // A bare key is fio's way to say 1.
  const std::string_view value = setting.has_value ? std::string_view(setting.value) : "1";
  if (option.harmless == "*" || has_word(option.harmless, value)) {
    return about(setting, Severity::note, fmt::format("changes nothing here: {}", option.reason));
  }
  Diagnostic out = about(setting, Severity::error, fmt::format("refused: {}", option.reason));
  // It is the option that is refused, whatever its value.
  out.where.column = setting.where.column;
  return out;
}

Diagnostic command_line_only(const Setting& setting) {
  std::string dashed = setting.key;
  // Job files have "_" where the command line has "-"; the message shows what can be copied to a
  // shell.
  std::replace(dashed.begin(), dashed.end(), '_', '-');
  const std::string spelling =
      fmt::format("--{}{}{}", dashed, setting.has_value ? "=" : "", shown(setting.value));
  const CommandLineOption* option = find_command_line(setting.key);
  const bool in_a_file = setting.where.line != 0;
  if (in_a_file || option == nullptr || option->instead.empty())
    return {Severity::error, setting.where, "command line only: " + spelling};
  return {Severity::error, setting.where,
          fmt::format("{}: refused: {}", spelling, option->instead)};
}

bool stands_behind_blank(const Setting& setting) {
  return setting.value_column > 1 && setting.value_column <= setting.where.text.size() &&
         is_literal(setting) && is_blank(setting.where.text[setting.value_column - 2]);
}

}  // namespace chronio::jobs

// values.hpp: text into a field of Job, for every type that a row can have. Internal to jobs.
#pragma once

#include "jobs/options.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace chronio::jobs {

/// Outcome of giving an option its value; a warning or note leaves the value in force. Sentences
/// without key and place: messages.hpp adds these.
struct Applied {
  std::string error;     ///< empty when it was taken; else what is wrong and what would be right
  std::string warning;   ///< fio would have taken another value
  std::string note;      ///< a quiet correction
  std::uint32_t at = 0;  ///< byte of the text where the mistake begins
};

/// Gives `row`'s field of `job` the value `text`; nothing stands for a bare key. A list is
/// replaced, or added to when `append`. After an error the field is as it was. REQUIRES: `append`
/// only for rows that accumulate.
[[nodiscard]] Applied apply(const OptionRow& row, std::optional<std::string_view> text, bool append,
                            Job& job);

/// Nanoseconds of the row's unit of time; 0 when it has none.
[[nodiscard]] std::uint64_t unit_ns(Unit unit) noexcept;

/// Calls `visit` with each part of `text` between `separator`s, one that is escaped by "\" left
/// alone, and the part's first byte; ends when it returns false.
template <class Visit>
void split(std::string_view text, char separator, Visit&& visit) {
  std::size_t from = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const bool ends = at == text.size();
    if (!ends && (text[at] != separator || (at > 0 && text[at - 1] == '\\'))) continue;
    if (!visit(text.substr(from, at - from), from)) return;
    from = at + 1;
  }
}

}  // namespace chronio::jobs

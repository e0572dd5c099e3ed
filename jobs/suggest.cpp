// suggest.cpp: what to say about a key that nobody knows.
#include "jobs/messages.hpp"
#include "jobs/options.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace chronio::jobs {
namespace {

// The distance takes time with the product of both lengths, and a key may be a whole line.
constexpr std::size_t kLongestKey = 64;  // no option's is half as long

/// Edit distance of Levenshtein, ASCII case and "-" against "_" for nothing. One row of the matrix
/// at a time. Source: R. A. Wagner and M. J. Fischer, "The String-to-String Correction Problem", J.
/// ACM 21 (1), 1974.
std::size_t distance(std::string_view a, std::string_view b) {
  const auto plain = [](char c) {
    if (c == '-') return '_';
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (plain(a[i]) == plain(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row[b.size()];
}

/// Nearest candidate so far. A third of the letters may be wrong. Of equals the first one offered
/// wins, so that options which chronio has come before those it refuses.
class Nearest {
 public:
  explicit Nearest(std::string_view key) : key_(key), least_(key.size() / 3 + 1) {}

  void offer(std::string_view candidate) {
    const std::size_t edits = distance(key_, candidate);
    // A candidate of which no letter is left is no suggestion.
    if (edits >= std::min(least_, candidate.size())) return;
    least_ = edits;
    best_ = candidate;
  }
  [[nodiscard]] std::string best() const { return std::string(best_); }

 private:
  std::string_view key_;
  std::size_t least_;
  std::string_view best_;
};

}  // namespace

std::string suggest(std::string_view key, std::span<const std::string> more) {
  // "--bs" in a job file is a habit of the command line.
  key.remove_prefix(std::min(key.find_first_not_of('-'), key.size()));
  if (key.empty() || key.size() > kLongestKey) return {};
  Nearest nearest(key);
  for (const OptionRow* row : option_rows()) {
    nearest.offer(row->key);
    for (std::string_view rest = row->aliases; !rest.empty();) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      nearest.offer(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  for (const std::string& name : more) nearest.offer(name);
  for (const ForeignOption* row : foreign_options()) {
    // Options of other engines would be refused as soon as the user followed the advice.
    if (!row->engine) nearest.offer(row->key);
  }
  return nearest.best();
}

Diagnostic unknown_option(const Setting& setting, std::span<const std::string> engine_options) {
  if (const ForeignOption* foreign = find_foreign(setting.key))
    return foreign_option(*foreign, setting);
  Diagnostic out{Severity::error, setting.where,
                 fmt::format("unknown option \"{}\"", shown(setting.key))};
  if (const std::string near = suggest(setting.key, engine_options); !near.empty()) {
    out.message += fmt::format("; did you mean \"{}\"?", near);
  }
  return out;
}

}  // namespace chronio::jobs

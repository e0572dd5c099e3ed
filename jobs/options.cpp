// options.cpp: joins the groups of jobs/options/ and finds a key in them.
#include "jobs/options.hpp"

#include "jobs/options/groups.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace chronio::jobs {
namespace {

/// Calls `visit` with each blank-separated word. Lists of words in a table are one string each, so
/// that a row stays a constant.
template <class Visit>
void each_word(std::string_view words, Visit&& visit) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    visit(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
}

/// Pointers, not copies: a row is identified by its place.
std::vector<const OptionRow*> join_rows() {
  std::vector<const OptionRow*> out;
  for (const OptionGroup& group : option_groups()) {
    for (const OptionRow& row : group.rows) out.push_back(&row);
  }
  return out;
}

std::vector<const ForeignOption*> join_foreign() {
  std::vector<const ForeignOption*> out;
  for (const auto rows : {foreign_core_options(), foreign_engine_options()}) {
    for (const ForeignOption& row : rows) out.push_back(&row);
  }
  return out;
}

/// By key and by alias: every line of every section looks one up.
std::unordered_map<std::string_view, const OptionRow*> index_rows() {
  std::unordered_map<std::string_view, const OptionRow*> out;
  for (const OptionRow* row : option_rows()) {
    out.emplace(row->key, row);
    each_word(row->aliases, [&](std::string_view alias) { out.emplace(alias, row); });
  }
  return out;
}

std::unordered_map<std::string_view, const ForeignOption*> index_foreign() {
  std::unordered_map<std::string_view, const ForeignOption*> out;
  for (const ForeignOption* row : foreign_options()) out.emplace(row->key, row);
  return out;
}

/// Rows that share a field, both ways. Found by the field, so that a new complement needs no list
/// of pairs.
std::unordered_map<const OptionRow*, const OptionRow*> pair_twins() {
  std::unordered_map<const OptionRow*, const OptionRow*> out;
  for (const OptionRow* row : option_rows()) {
    for (const OptionRow* other : option_rows()) {
      if (row != other && row->field == other->field) out.emplace(row, other);
    }
  }
  return out;
}

/// Null for a key that is not there.
template <class Index>
auto look_up(const Index& index, const typename Index::key_type& key)
    -> decltype(index.begin()->second) {
  const auto found = index.find(key);
  return found == index.end() ? nullptr : found->second;
}

}  // namespace

std::span<const OptionGroup> option_groups() {
  static const std::array<OptionGroup, 8> groups = {{{"Life of a job", life_options()},
                                                     {"Target", target_options()},
                                                     {"I/O", io_options()},
                                                     {"Size", size_options()},
                                                     {"Random order", random_options()},
                                                     {"Time", time_options()},
                                                     {"Report", report_options()},
                                                     {"Event counting", pmu_options()}}};
  return groups;
}

std::span<const OptionRow* const> option_rows() {
  static const std::vector<const OptionRow*> rows = join_rows();
  return rows;
}

std::span<const ForeignOption* const> foreign_options() {
  static const std::vector<const ForeignOption*> rows = join_foreign();
  return rows;
}

const OptionRow* find_option(std::string_view key) {
  static const auto index = index_rows();
  return look_up(index, key);
}

const ForeignOption* find_foreign(std::string_view key) {
  static const auto index = index_foreign();
  return look_up(index, key);
}

const OptionRow* twin_of(const OptionRow& row) {
  static const auto twins = pair_twins();
  return look_up(twins, &row);
}

const CommandLineOption* find_command_line(std::string_view key) {
  std::string dashed(key);
  std::replace(dashed.begin(), dashed.end(), '_', '-');
  const auto rows = command_line_options();
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const CommandLineOption& option) {
    return option.key == dashed;
  });
  return found == rows.end() ? nullptr : &*found;
}

bool is_command_line_only(std::string_view key) { return find_command_line(key) != nullptr; }

// resolve() keeps one setting of a pair of twins, the last one: there is at most one to find.
const Setting* written_by(const JobSpec& spec, const OptionRow& row) {
  const OptionRow* twin = twin_of(row);
  const auto found =
      std::find_if(spec.written.begin(), spec.written.end(), [&](const Setting& setting) {
        return setting.key == row.key || (twin != nullptr && setting.key == twin->key);
      });
  return found == spec.written.end() ? nullptr : &*found;
}

}  // namespace chronio::jobs

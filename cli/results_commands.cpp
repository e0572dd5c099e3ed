// results_commands.cpp: compare and report: what is done with result files.
#include "cli/commands.hpp"
#include "compare/compare.hpp"
#include "jobs/parser.hpp"
#include "jobs/units.hpp"
#include "report/text.hpp"
#include "results/json.hpp"
#include "results/output.hpp"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <optional>
#include <stdexcept>
#include <unistd.h>

namespace chronio::cli {
namespace {

/// The result at `path`, chronio's or fio's. Throws std::runtime_error with the path in front.
results::Run read_result(const std::string& path) {
  std::string why;
  // The reader of job files, for its care: no devices, no directories, nothing without end.
  const jobs::ParserWorld world = jobs::real_world("result file", results::kLargestResult);
  const std::optional<std::string> text = world.read_file(path, why);
  if (!text) throw std::runtime_error(fmt::format("{}: {}", path, why));
  try {
    return results::from_json(*text);
  } catch (const results::ReadError& error) {
    throw std::runtime_error(fmt::format("{}: {}", path, error.what()));
  }
}

/// Percentages of "--percentiles=50:99:99.9"; throws on anything else.
std::vector<double> percent_list(const std::string& text) {
  std::vector<double> list;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    const jobs::Read<double> read = jobs::read_decimal(text.substr(begin, end - begin));
    if (!read.error.empty() || read.value <= 0 || read.value > 100)
      throw std::runtime_error(fmt::format(
          "--percentiles={}: a list such as 50:99:99.9, each above 0 and up to 100", text));
    list.push_back(read.value);
    begin = end + 1;
  }
  return list;
}

}  // namespace

int compare_command(const Words& words) {
  // By hand: two words and one option are less than a second table of Boost's.
  constexpr std::string_view kPercentiles = "--percentiles=";
  std::vector<std::string> paths;
  std::vector<double> percent;
  for (const std::string& word : words) {
    if (word.starts_with(kPercentiles)) {
      percent = percent_list(word.substr(kPercentiles.size()));
    } else if (word.starts_with("--")) {
      throw UsageError(word + ": no such option");
    } else {
      paths.push_back(word);
    }
  }
  if (paths.size() != 2)
    throw UsageError(fmt::format("{} results; two would be right", paths.size()));
  const results::Run a = read_result(paths[0]);
  const results::Run b = read_result(paths[1]);
  const compare::Comparison comparison = compare::compare(a, b, percent);
  results::write_stdout(
      report::comparison_text(comparison, paths[0], paths[1], report::terminal_of(STDOUT_FILENO)));
  // No pair at all is nothing to compare, and must not pass in a script for "no difference".
  bool comparable = !comparison.jobs.empty();
  for (const compare::JobPair& pair : comparison.jobs) comparable = comparable && pair.comparable;
  return comparable ? kDone : kNotComparable;
}

int report_command(const Words& words) {
  if (words.empty()) throw UsageError("no result");
  for (const std::string& path : words) {
    if (path.starts_with('-')) throw UsageError(path + ": no such option");
    results::write_stdout(report::run_text(read_result(path), report::terminal_of(STDOUT_FILENO)));
  }
  return kDone;
}

}  // namespace chronio::cli

// markdown_test.cpp: the page of all options.
#include "jobs/options.hpp"
#include "jobs/values.hpp"
#include "tests/catch.hpp"
#include "tests/jobs_text.hpp"

#include <algorithm>
#include <fmt/format.h>

using namespace chronio::jobs;

namespace {

/// Lines of `text` that start with `start`.
std::vector<std::string> lines_of(const std::string& text, std::string_view start) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (text.compare(at, start.size(), start) == 0) out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

}  // namespace

TEST_CASE("markdown: each option has one line with its default, each foreign one its reason",
          "[jobs]") {
  const std::string page = markdown();
  for (const OptionRow* row : option_rows()) {
    CAPTURE(row->key);
    const auto lines = lines_of(page, fmt::format("| `{}` |", row->key));
    REQUIRE(lines.size() == 1);
    const std::string value = spell(*row, Job{});
    CHECK((value.empty() || lines[0].find("`" + value + "`") != std::string::npos));
    CHECK(lines[0].find(row->help.substr(0, row->help.find('\\'))) != std::string::npos);
  }
  for (const ForeignOption* option : foreign_options()) {
    CAPTURE(option->key);
    CHECK(lines_of(page, fmt::format("| `{}` |", option->key)).size() == 1);
  }
}

TEST_CASE("markdown: a share of the target is offered where it is taken, and nowhere else",
          "[jobs]") {
  const std::string page = markdown();
  for (const OptionRow* row : option_rows()) {
    if (row->unit != Unit::bytes) continue;
    CAPTURE(row->key);
    Job job;
    const bool takes_share = apply(*row, "50%", false, job).error.empty();
    const std::string line = lines_of(page, fmt::format("| `{}` |", row->key)).at(0);
    CHECK((line.find("| size or N% |") != std::string::npos) == takes_share);
    CHECK((line.find("| size") != std::string::npos));
  }
}

TEST_CASE("markdown: no cell breaks its table", "[jobs]") {
  for (const std::string& line : lines_of(markdown(), "| `")) {
    const auto bars = std::count(line.begin(), line.end(), '|');
    CAPTURE(line);
    CHECK((bars == 7 || bars == 4));
  }
}

TEST_CASE("markdown: the job file that it shows is right", "[jobs]") {
  const std::string page = markdown();
  const std::size_t from = page.find("```\n") + 4;
  const Outcome outcome = read_jobs(page.substr(from, page.find("```", from) - from));
  CHECK(outcome.text().empty());
  CHECK(outcome.jobs.size() == 2);
}

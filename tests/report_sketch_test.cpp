// report_sketch_test.cpp: where bars, marks and labels of a drawn histogram stand.
#include "report/sketch.hpp"
#include "tests/catch.hpp"
#include "tests/run_samples.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

using namespace chronio;
using namespace chronio::report;

namespace {

stats::Counts counts_of(const std::vector<std::uint64_t>& ns) {
  return tests::distribution_of(ns).counts;
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

TEST_CASE("sketch: equal ratios take equal widths", "[report]") {
  const Axis axis = axis_of(100, 10'000, 60);
  CHECK(axis.position(100) == Approx(0));
  CHECK(axis.position(1000) == Approx(30));
  CHECK(axis.position(10'000) == Approx(60));
  CHECK(axis.column(10'000) == 59);
  CHECK(axis.column(1) == 0);
  CHECK(axis.column(1e9) == 59);
}

TEST_CASE("sketch: a single value stands in the middle", "[report]") {
  const Axis axis = axis_of(1000, 1000, 40);
  CHECK(axis.low_ns < 1000);
  CHECK(axis.high_ns > 1000);
  CHECK(axis.position(1000) == Approx(20));
}

TEST_CASE("sketch: latencies of 0 ns have their place", "[report]") {
  const Axis axis = axis_of(0, 50, 20);
  const std::vector<double> columns = shares(counts_of({0, 0, 50}), axis);
  CHECK(columns.front() == Approx(2.0 / 3));
  CHECK(columns.back() == Approx(1.0 / 3).margin(0.2));  // the bucket [50, 51) ends beyond the axis
}

TEST_CASE("sketch: every sample is in the columns, wherever the axis ends", "[report]") {
  std::vector<std::uint64_t> all = tests::latencies(5000, 80'000, 3);
  all.push_back(3);
  all.push_back(stats::kLimit + 5);
  for (const std::size_t width : {1U, 7U, 75U, 400U}) {
    CHECK(sum(shares(counts_of(all), axis_of(20'000, 500'000, width))) == Approx(1).epsilon(1e-4));
  }
}

TEST_CASE("sketch: a wide bucket is spread over its columns, an empty place stays empty",
          "[report]") {
  const Axis axis = axis_of(1000, 100'000, 400);  // a column is 1.2 %, a bucket up to 0.8 %
  const std::vector<double> columns = shares(counts_of({1000, 100'000}), axis);
  for (std::size_t at = 2; at < 398; ++at) CHECK(columns[at] == 0);
  const Axis fine = axis_of(1000, 1200, 400);  // a column is 0.05 %: 8 of them to a bucket
  const std::vector<double> spread = shares(counts_of({1100}), fine);
  const auto filled = std::count_if(spread.begin(), spread.end(), [](double s) { return s > 0; });
  CHECK(filled >= 15);  // bucket [1096, 1104) is 0.73 % wide
  CHECK(filled <= 18);
  CHECK(*std::max_element(spread.begin(), spread.end()) < 0.08);
}

TEST_CASE("sketch: no samples make no bars", "[report]") {
  const std::vector<double> columns = shares({}, axis_of(1, 10, 5));
  CHECK(columns == std::vector<double>(5, 0.0));
  CHECK(bars(columns, 2, false) == std::vector<std::string>{"", ""});
}

TEST_CASE("sketch: the tallest bar fills all rows and the smallest is seen", "[report]") {
  const std::vector<double> heights = {0.5, 0, 1e-9, 1};
  CHECK(bars(heights, 2, true) == std::vector<std::string>{"   █", "█ ▁█"});
  CHECK(bars(heights, 2, false) == std::vector<std::string>{"   #", "# .#"});
}

TEST_CASE("sketch: ASCII bars are ASCII", "[report]") {
  const std::vector<double> columns =
      shares(counts_of(tests::latencies(2000, 80'000, 5)), axis_of(10'000, 1e6, 70));
  for (const std::string& line : bars(columns, 4, false)) {
    for (const char letter : line) CHECK(static_cast<unsigned char>(letter) < 0x80);
  }
}

TEST_CASE("sketch: overlaid bars show A, B and both", "[report]") {
  const std::vector<double> a = {1, 0.5, 0, 0.5};
  const std::vector<double> b = {0, 0.5, 1, 1};
  CHECK(overlaid(a, b, 2) == std::vector<std::string>{"A BB", "A:B:"});
}

TEST_CASE("sketch: marks point at their columns and never touch", "[report]") {
  const Axis axis = axis_of(1, 1e4, 40);
  const std::vector<Mark> marks = {{10.1, "p50"}, {20, "p99"}, {1010, "p99.9"}};
  CHECK(marks_line(axis, marks) == "          ^p50                ^p99.9");
  CHECK(marks_line(axis, std::vector<Mark>{{9999, "p50"}}).empty());  // no room at the end
}

TEST_CASE("sketch: the ends carry their latencies", "[report]") {
  CHECK(ends_line(axis_of(110, 68'700, 30)) == "110 ns                 68.7 us");
  CHECK(ends_line(axis_of(110, 68'700, 5)).empty());  // not even one label fits
}

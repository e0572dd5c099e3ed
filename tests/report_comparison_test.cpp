// report_comparison_test.cpp: two runs side by side: words for every difference, and no verdict.
#include "report/format.hpp"
#include "report/text.hpp"
#include "tests/catch.hpp"
#include "tests/run_samples.hpp"

#include <regex>
#include <sstream>
#include <string>

using namespace chronio;
using compare::Comparison;
using compare::DirectionPair;
using compare::JobPair;
using report::comparison_text;
using report::Terminal;

namespace {

DirectionPair reads() {
  DirectionPair pair;
  pair.direction = "read";
  pair.a_iops = 412'310;
  pair.b_iops = 399'528;
  pair.a_bandwidth = 412'310 * 4096.0;
  pair.b_bandwidth = 399'528 * 4096.0;
  pair.a_mean_ns = 74'800;
  pair.b_mean_ns = 77'120;
  pair.a_n = 4000;
  pair.b_n = 3900;
  pair.percentiles = {{50, 70'000, 72'170, false, false, 1.031},
                      {99, 100'000, 250'000, false, false, 2.5},
                      {99.9, 400'000, 100'000, true, false, 0.25},
                      {99.99, {}, {}, true, false, {}}};
  pair.a_counts = tests::distribution_of(tests::latencies(4000, 74'800, 1)).counts;
  pair.b_counts = tests::distribution_of(tests::latencies(3900, 77'120, 2)).counts;
  return pair;
}

Comparison one_job() {
  Comparison comparison;
  JobPair job;
  job.name = "randread-4k";
  job.directions = {reads()};
  comparison.jobs = {job};
  return comparison;
}

std::string text_of(const Comparison& comparison) {
  return comparison_text(comparison, "a.json", "b.json", Terminal());
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("comparison: rates and percentiles stand side by side with words", "[report]") {
  const std::string text = text_of(one_job());
  CHECK(has(text,
            "randread-4k\n"
            "  read                    A             B\n"
            "    IOPS             412310        399528   B is 3.1 % slower\n"
            "    BW            1611MiB/s     1561MiB/s   B is 3.1 % slower\n"
            "    mean            74.8 us       77.1 us   B is 3.1 % slower\n"
            "    p50             70.0 us       72.2 us   B is 3.1 % slower\n"
            "    p99              100 us        250 us   B takes 2.5 times as long\n"
            "    p99.9            400 us        100 us   B is 75.0 % faster ~\n"
            "    p99.99                -             -\n"
            "    samples            4000          3900\n"));
  CHECK(has(text, "~ fewer than 30 samples beyond this percentile in A or B\n"));
}

TEST_CASE("comparison: one run against one run is no verdict", "[report]") {
  CHECK(has(text_of(one_job()), "One run against one run is no verdict"));
  CHECK_FALSE(has(text_of(one_job()), "no difference"));
}

TEST_CASE("comparison: no percent stands with a bare sign", "[report]") {
  CHECK_FALSE(std::regex_search(text_of(one_job()), std::regex("[-+][0-9.]+ ?%")));
}

TEST_CASE("comparison: higher rates are faster, tiny differences are no difference", "[report]") {
  Comparison comparison = one_job();
  DirectionPair& pair = comparison.jobs[0].directions[0];
  pair.b_iops = pair.a_iops * 1.1;
  pair.b_bandwidth = pair.a_bandwidth * 3;
  pair.b_mean_ns = pair.a_mean_ns * 1.0001;
  const std::string text = text_of(comparison);
  CHECK(std::regex_search(text, std::regex("IOPS .*B is 10\\.0 % faster\n")));
  CHECK(std::regex_search(text, std::regex("BW .*B does 3 times as much\n")));
  CHECK(std::regex_search(text, std::regex("mean .*within 0\\.05 %\n")));
}

TEST_CASE("comparison: a thousandfold difference has no exponent", "[report]") {
  Comparison comparison = one_job();
  comparison.jobs[0].directions[0].b_mean_ns = comparison.jobs[0].directions[0].a_mean_ns * 1234;
  CHECK(has(text_of(comparison), "B takes 1234 times as long\n"));
}

TEST_CASE("comparison: less than one I/O per second is not shown as none", "[report]") {
  Comparison comparison = one_job();
  comparison.jobs[0].directions[0].a_iops = 0.333;
  comparison.jobs[0].directions[0].b_iops = 0.25;
  CHECK(std::regex_search(text_of(comparison),
                          std::regex("IOPS +0\\.33 +0\\.25   B is 24\\.9 % slower\n")));
}

TEST_CASE("comparison: nothing is 100 % faster or slower", "[report]") {
  Comparison comparison = one_job();
  DirectionPair& pair = comparison.jobs[0].directions[0];
  pair.b_iops = pair.a_iops / 4000;
  pair.b_mean_ns = pair.a_mean_ns / 2500;
  const std::string text = text_of(comparison);
  CHECK(std::regex_search(text, std::regex("IOPS .*A does 4000 times as much\n")));
  CHECK(std::regex_search(text, std::regex("mean .*A takes 2500 times as long\n")));
}

TEST_CASE("comparison: a side that did nothing gives no ratio", "[report]") {
  Comparison comparison = one_job();
  DirectionPair& pair = comparison.jobs[0].directions[0];
  pair = DirectionPair{};
  pair.direction = "write";
  pair.a_iops = 100;
  const std::string text = text_of(comparison);
  CHECK(std::regex_search(text, std::regex("IOPS +100 +0\n")));
  CHECK_FALSE(has(text, "mean"));
  CHECK_FALSE(has(text, "histograms"));
}

TEST_CASE("comparison: a result compared with itself shows no difference", "[report]") {
  const results::Run run = tests::sample_run();
  const std::string text = text_of(compare::compare(run, run, {}));
  CHECK(has(text, "no difference: every count and every histogram is the same\n"));
  CHECK_FALSE(has(text, "faster"));
  CHECK_FALSE(has(text, "slower"));
  CHECK_FALSE(has(text, "no verdict"));
  CHECK(has(text, "equal"));
}

TEST_CASE("comparison: what differs around the runs comes first", "[report]") {
  Comparison comparison = one_job();
  comparison.environment = {"kernel: 6.1, 6.5"};
  CHECK(text_of(comparison)
            .starts_with("A: a.json\nB: b.json\n\nthe environments differ:\n  kernel: 6.1, 6.5\n"));
}

TEST_CASE("comparison: what makes it invalid is named", "[report]") {
  Comparison comparison = one_job();
  comparison.jobs[0].comparable = false;
  CHECK(has(text_of(comparison), "  not comparable: a run had errors\n"));
  comparison.jobs[0].differences = {"bs: 4k, 8k"};
  CHECK(has(text_of(comparison), "  not comparable: bs: 4k, 8k\n"));
}

TEST_CASE("comparison: jobs without a partner are listed", "[report]") {
  Comparison comparison;
  comparison.only_a = {"x"};
  comparison.only_b = {"y", "z"};
  const std::string text = text_of(comparison);
  CHECK(has(text, "only in A: x\nonly in B: y\nonly in B: z\n"));
  CHECK(has(text, "nothing to compare"));
}

TEST_CASE("comparison: both histograms stand on one axis", "[report]") {
  Comparison comparison = one_job();
  DirectionPair& pair = comparison.jobs[0].directions[0];
  pair.a_counts = tests::distribution_of({1000, 1000}).counts;
  pair.b_counts = tests::distribution_of({100'000, 100'000}).counts;
  CHECK(has(text_of(comparison),
            "    histograms of clat: A alone 'A', B alone 'B', both ':'\n"
            "    A                                                                          B\n"));
  CHECK(std::regex_search(text_of(comparison), std::regex("\n    1\\.00 us +100 us\n")));
}

TEST_CASE("comparison: no line is wider than 80 columns or ends with a space", "[report]") {
  tests::RandomRuns random(11);
  for (int i = 0; i < 60; ++i) {
    const Comparison comparison = compare::compare(random.run(), random.run(), {});
    std::istringstream lines(text_of(comparison));
    for (std::string line; std::getline(lines, line);) {
      CAPTURE(line);
      CHECK(report::columns(line) <= 80);
      CHECK((line.empty() || line.back() != ' '));
      CHECK_FALSE(std::regex_search(line, std::regex("\\b(nan|inf)\\b")));
    }
  }
}

TEST_CASE("comparison text: a difference below the clocks' granule is not put into percent",
          "[report]") {
  Comparison comparison = one_job();
  comparison.jobs[0].directions[0].percentiles = {{50, 20'000, 20'009, false, true, {}}};
  const std::string text = text_of(comparison);
  CHECK(text.find("within the clocks' granule") != std::string::npos);
  CHECK(text.find("20.0 us       20.0 us   B is") == std::string::npos);
}

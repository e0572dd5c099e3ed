// json_round_trip_test.cpp: what is written is what is read, member by member and byte by byte.
#include "results/json.hpp"
#include "tests/catch.hpp"
#include "tests/run_samples.hpp"
#include "tests/strict_json.hpp"

using namespace chronio::results;
using chronio::tests::RandomRuns;
using chronio::tests::same;
using chronio::tests::sample_run;
using chronio::tests::strict_json;

TEST_CASE("json: reading gives back every member of any run, exactly", "[json]") {
  RandomRuns runs(20);
  for (int i = 0; i < 200; ++i) {
    const Run run = runs.run();
    const std::string text = to_json(run, i % 2 == 0);
    INFO(i << "\n" << text);
    REQUIRE(same(from_json(text), run));
  }
}

TEST_CASE("json: writing what was read gives the same text", "[json]") {
  RandomRuns runs(21);
  for (int i = 0; i < 100; ++i) {
    const bool plus = i % 2 == 0;
    const std::string text = to_json(runs.run(), plus);
    REQUIRE(to_json(from_json(text), plus) == text);
  }
}

TEST_CASE("json: any run is one strict document that ends with a newline", "[json]") {
  RandomRuns runs(22);
  for (int i = 0; i < 100; ++i) {
    const std::string text = to_json(runs.run(), true);
    REQUIRE_NOTHROW(strict_json(text));
    REQUIRE(text.front() == '{');
    REQUIRE(text.substr(text.size() - 2) == "}\n");
  }
}

TEST_CASE("json: sums of squares beyond 64 bits survive", "[json]") {
  Run run = sample_run();
  run.jobs[0].directions[0].clat.moments.sum_squares = ~chronio::stats::Uint128{0};
  CHECK(same(from_json(to_json(run, false)), run));
}

TEST_CASE("json: bytes that are no UTF-8 become readable escapes, and stay that way", "[json]") {
  Run run = sample_run();
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"a\xff", "a\\xff"},
      {"\xc3", "\\xc3"},                             // cut off
      {"\xc0\x80", "\\xc0\\x80"},                    // overlong
      {"\xed\xa0\x80", "\\xed\\xa0\\x80"},           // surrogate
      {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},  // above U+10FFFF
      {"\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf"},      // U+10FFFF
  };
  for (const auto& [given, written] : cases) {
    run.jobs[0].jobname = given;
    run.jobs[0].options = {{given, given, given}};
    const std::string text = to_json(run, false);
    REQUIRE_NOTHROW(strict_json(text));
    CHECK(from_json(text).jobs[0].jobname == written);
    CHECK(to_json(from_json(text), false) == text);
  }
}

TEST_CASE("json: a number that JSON can't write becomes null", "[json]") {
  Run run = sample_run();
  run.clock.hz = std::numeric_limits<double>::infinity();
  run.clock.hz_ppb = std::numeric_limits<double>::quiet_NaN();
  const auto tree = strict_json(to_json(run, false));
  CHECK(tree["chronio"]["clock"]["hz"].is_null());
  CHECK(tree["chronio"]["clock"]["hz_ppb"].is_null());
  CHECK_NOTHROW(from_json(to_json(run, false)));
}

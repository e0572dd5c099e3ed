// json_broken_test.cpp: no text, however broken, does more than throw a ReadError that says where.
#include "results/json.hpp"
#include "tests/catch.hpp"
#include "tests/run_samples.hpp"

#include <random>

using namespace chronio::results;
using chronio::tests::sample_run;

namespace {

std::string message(const std::string& text) {
  try {
    static_cast<void>(from_json(text));
  } catch (const ReadError& error) {
    return error.what();
  }
  return "no error";
}

bool says(const std::string& text, const std::string& words) {
  const std::string found = message(text);
  INFO(found);
  CHECK(found.find(words) != std::string::npos);
  return found.find(words) != std::string::npos;
}

/// Anything but a ReadError, or success, fails the test by escaping.
bool survives(const std::string& text) {
  try {
    const Run run = from_json(text);
    static_cast<void>(to_json(run, true));
    return true;
  } catch (const ReadError&) {
    return false;
  }
}

std::string repeated(const std::string& piece, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += piece;
  return text;
}

}  // namespace

TEST_CASE("json: a text without an object says so", "[json]") {
  for (const char* text : {"", "\n\n", "[1]", "fio: error\n", "x {", "\xff\xfe"})
    CHECK(says(text, "holds no JSON object"));
}

TEST_CASE("json: a syntax error is reported with line and column", "[json]") {
  CHECK(says("note\n{\n  \"a\" : 1,\n  \"b\" 2\n}\n", "line 4, column 7"));
  CHECK(says("{\"a\" : 1} {", "line 1, column 11"));
  CHECK(says("{\"a\" : 1e999}", "number overflow"));
  CHECK(says("{\"a\" : \"\xff\"}", "line 1"));
}

TEST_CASE("json: every cut-off beginning of a result is refused", "[json]") {
  const std::string text = to_json(sample_run(), true);
  const std::string whole = text.substr(0, text.rfind('}') + 1);
  REQUIRE(survives(whole));
  for (std::size_t length = 0; length < whole.size(); length += 97)
    CHECK_FALSE(survives(whole.substr(0, length)));
  CHECK_FALSE(survives(whole.substr(0, whole.size() - 1)));
}

TEST_CASE("json: nesting and numbers of keys have a limit that is named", "[json]") {
  CHECK(says("{\"a\":" + repeated("[", 1'000'000), "line 1, column 69: more than 64 levels"));
  std::string keys = "{";
  for (int i = 0; i < 20'000; ++i) keys += "\"" + std::to_string(i) + "\":1,";
  CHECK(says(keys + "\"x\":1}", "more than 16384 keys in one object"));
  CHECK(says("{\"a\" : \"" + repeated("[{:", 100) + "\"}",
             "no \"fio version\""));  // in strings: no limit
}

TEST_CASE("json: another schema is refused by name", "[json]") {
  std::string text = to_json(sample_run(), false);
  text.replace(text.find("chronio/1"), 9, "chronio/9");
  CHECK(says(text, "schema chronio/9: this chronio reads chronio/1"));
}

TEST_CASE("json: histograms that can't be are refused with their place", "[json]") {
  const std::string good = to_json(sample_run(), false);
  const std::size_t at = good.find("\"buckets\" : [[") + 12;
  const std::size_t end = good.find("]]", at) + 2;
  const auto with = [&](const std::string& buckets) {
    return good.substr(0, at) + buckets + good.substr(end);
  };
  CHECK(survives(with("[[1,1]]")));
  for (const char* buckets :
       {"[[5,1],[5,1]]", "[[5,1],[4,1]]", "[[4864,1]]", "[[1,0]]", "[[1]]", "[[1,1,1]]", "[[-1,1]]",
        "[[1.5,1]]", "[1,1]", "[[99999999999,1]]", "7", "{}"})
    CHECK(says(with(buckets), "jobs[0].read.chronio.clat.hist.buckets"));
  std::string no_n = good;
  const std::size_t n = no_n.find("\"N\" : 2000", no_n.find("\"clat_ns\""));
  no_n.replace(n, 10, "\"N\" : 0");
  CHECK(says(no_n, "jobs[0].read.clat_ns.N"));
}

TEST_CASE("json: percentiles outside 0 to 100 are refused", "[json]") {
  std::string text = to_json(sample_run(), false);
  const std::string list = "\"percentile_list\" : [1.0,";
  text.replace(text.find(list), list.size(), "\"percentile_list\" : [101.0,");
  CHECK(says(text, "jobs[0].chronio.percentile_list"));
}

TEST_CASE("json: numbers beyond 128 bits and words that are no digits are refused", "[json]") {
  const std::string good = to_json(sample_run(), false);
  const std::string key = "\"sum_squares\" : \"";
  const std::size_t at = good.find(key) + key.size();
  const std::size_t end = good.find('"', at);
  const auto with = [&](const std::string& digits) {
    return good.substr(0, at) + digits + good.substr(end);
  };
  CHECK(survives(with("340282366920938463463374607431768211455")));
  for (const char* digits : {"340282366920938463463374607431768211456", "", "1x", "-1", "1e3"})
    CHECK(says(with(digits), "jobs[0].read.chronio.slat.sum_squares"));
}

TEST_CASE("json: thousands of damaged results neither crash nor pass for another error", "[json]") {
  Run small = sample_run();
  small.jobs = {chronio::tests::sample_job("small", 40)};
  const std::string good = to_json(small, true);
  std::mt19937 random(99);
  const auto below = [&](std::size_t limit) { return random() % limit; };
  const std::string alphabet =
      "{}[]\",:0123456789.-eE \n\\u\xff"
      "ntf";
  int refused = 0;
  for (int i = 0; i < 1000; ++i) {
    std::string text = good;
    for (std::size_t changes = below(4) + 1; changes > 0; --changes) {
      const std::size_t at = below(text.size());
      switch (below(4)) {
        case 0: text[at] = alphabet[below(alphabet.size())]; break;
        case 1: text.erase(at, below(30) + 1); break;
        case 2: text.insert(at, 1, alphabet[below(alphabet.size())]); break;
        default: text.insert(at, text.substr(below(text.size()), below(60)));
      }
    }
    refused += survives(text) ? 0 : 1;
  }
  CHECK(refused > 500);  // so that the damage is real
}

TEST_CASE("json: a value of another type is refused wherever it stands", "[json]") {
  const std::string good = to_json(sample_run(), false);
  const std::size_t own = good.rfind("\"chronio\"");
  int refused = 0;
  for (std::size_t at = good.find(" : ", own); at != std::string::npos;
       at = good.find(" : ", at + 1)) {
    const std::size_t end = good.find_first_of(",\n", at);
    std::string text = good;
    text.replace(at + 3, end - at - 3, text[at + 3] == '"' ? "7" : "\"7\"");
    refused += survives(text) ? 0 : 1;
  }
  CHECK(refused >= 35);
}

// diagnostic_test.cpp: how a mistake is shown.
#include "jobs/diagnostic.hpp"

#include "tests/catch.hpp"

using namespace chronio::jobs;

TEST_CASE("diagnostic: it shows file, line, kind, message, the line and a caret", "[jobs]") {
  const Diagnostic diagnostic{
      Severity::error, {"a.fio", 7, 9, "iodepth=0"}, "iodepth=0: must be at least 1"};
  CHECK(format(diagnostic) ==
        "a.fio:7: error: iodepth=0: must be at least 1\n"
        "    iodepth=0\n"
        "            ^\n");
}

TEST_CASE("diagnostic: without a column there is no caret, without a file no place", "[jobs]") {
  CHECK(format({Severity::warning, {"command line", 0, 0, ""}, "m"}) ==
        "command line: warning: m\n");
  CHECK(format({Severity::note, {}, "m"}) == "note: m\n");
}

TEST_CASE("diagnostic: a long line is shown around its caret alone", "[jobs]") {
  std::string line(5000, 'x');
  line[3000] = '!';
  const std::string text = format({Severity::error, {"a.fio", 1, 3001, line}, "m"});
  CHECK(text.size() < 450);
  const std::size_t mark = text.find('!');
  const std::size_t caret = text.rfind('^');
  REQUIRE(mark != std::string::npos);
  const std::size_t line_start = text.rfind('\n', mark);
  const std::size_t caret_start = text.rfind('\n', caret);
  CHECK(mark - line_start == caret - caret_start);
}

TEST_CASE("diagnostic: the caret stands under its character behind UTF-8, tabs and escapes",
          "[jobs]") {
  CHECK(format({Severity::error, {"a", 1, 4, "\xC3\xA4=x"}, "m"}) ==
        "a:1: error: m\n    \xC3\xA4=x\n      ^\n");
  CHECK(format({Severity::error, {"a", 1, 3, "\tax"}, "m"}) == "a:1: error: m\n     ax\n      ^\n");
  CHECK(format({Severity::error, {"a", 1, 2, "\xFFx"}, "m"}) ==
        "a:1: error: m\n    \\xffx\n        ^\n");
}

TEST_CASE("diagnostic: a column behind the line is shown at its end", "[jobs]") {
  CHECK(format({Severity::error, {"a", 1, 99, "ab"}, "m"}) == "a:1: error: m\n    ab\n      ^\n");
}

TEST_CASE("diagnostic: unprintable bytes are escaped and the rest is kept", "[jobs]") {
  CHECK(printable("plain \xC3\xA4 text") == "plain \xC3\xA4 text");
  CHECK(printable("\x1B[2J") == "\\x1b[2J");
  CHECK(printable("\xC3") == "\\xc3");
  CHECK(printable("\xC0\x80") == "\\xc0\\x80");
  CHECK(printable("\xED\xA0\x80") == "\\xed\\xa0\\x80");
  CHECK(printable("\xC2\x9B") == "\\xc2\\x9b");
  CHECK(printable("\xE2\x80\xAE") == "\\xe2\\x80\\xae");
  CHECK(printable("\xF0\x9F\x98\x80") == "\xF0\x9F\x98\x80");
  CHECK(printable("\xF4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");
}

TEST_CASE("diagnostic: what it shows of names, paths and messages is printable", "[jobs]") {
  CHECK(format({Severity::error, {"a\x1B[2J\n", 1, 1, "\x1B=\n"}, "job \x1B[2J\nb: \xC3\xA4"}) ==
        "a\\x1b[2J\\x0a:1: error: job \\x1b[2J\\x0a"
        "b: \xC3\xA4\n"
        "    \\x1b=\\x0a\n"
        "    ^\n");
}

TEST_CASE("diagnostic: a long value keeps its two ends", "[jobs]") {
  const std::string text = shown(std::string(50, 'a') + std::string(50, 'b'));
  CHECK(text.starts_with("aaaa"));
  CHECK(text.ends_with("bbbb"));
  CHECK(text.find("...") != std::string::npos);
  CHECK(text.size() < 64);
  CHECK(shown("short") == "short");
}

TEST_CASE("diagnostic: only errors count as errors", "[jobs]") {
  CHECK_FALSE(has_errors({{Severity::warning, {}, "w"}, {Severity::note, {}, "n"}}));
  CHECK(has_errors({{Severity::note, {}, "n"}, {Severity::error, {}, "e"}}));
}

// parser_test.cpp: job-file text to sections.
#include "jobs/parser.hpp"

#include "tests/catch.hpp"
#include "tests/jobs_text.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace chronio::jobs;

namespace {

Parsed parse_text(std::string_view text) { return parse(text, "t.fio", 1, fake_world()); }

/// The only diagnostic's text, or what is there instead.
std::string only_message(const Parsed& parsed) {
  if (parsed.diagnostics.size() == 1) return format(parsed.diagnostics[0]);
  return fmt::format("{} diagnostics", parsed.diagnostics.size());
}

}  // namespace

TEST_CASE("parser: sections keep their settings in order, each with its place", "[jobs]") {
  const Parsed parsed = parse_text("[global]\n  bs = 4k\n\n[a]\nrw=read\nstonewall\n");
  CHECK(parsed.diagnostics.empty());
  REQUIRE(parsed.sections.size() == 2);
  CHECK(parsed.sections[0].global);
  CHECK(parsed.sections[1].name == "a");
  CHECK(parsed.sections[1].source == 1);
  CHECK(parsed.sections[1].where.line == 4);
  const Setting& bs = parsed.sections[0].settings[0];
  CHECK(bs.key == "bs");
  CHECK(bs.value == "4k");
  CHECK(bs.where.file == "t.fio");
  CHECK(bs.where.line == 2);
  CHECK(bs.where.column == 3);
  CHECK(bs.value_column == 8);
  CHECK(bs.where.text == "  bs = 4k");
  REQUIRE(parsed.sections[1].settings.size() == 2);
  CHECK_FALSE(parsed.sections[1].settings[1].has_value);
}

TEST_CASE("parser: remarks begin at ; or # anywhere in a line", "[jobs]") {
  const Parsed parsed =
      parse_text("; a\n# b\n[j] ; c\nioengine=null   ; d\ngroup_reporting ; e\nbs=4k # f\n");
  CHECK(parsed.diagnostics.empty());
  REQUIRE(parsed.sections.size() == 1);
  REQUIRE(parsed.sections[0].settings.size() == 3);
  CHECK(parsed.sections[0].settings[0].value == "null");
  CHECK(parsed.sections[0].settings[1].key == "group_reporting");
  CHECK_FALSE(parsed.sections[0].settings[1].has_value);
  CHECK(parsed.sections[0].settings[2].value == "4k");
}

TEST_CASE("parser: CR LF and a UTF-8 mark leave no trace in the values", "[jobs]") {
  const Parsed parsed = parse_text("\xEF\xBB\xBF[c]\r\nfilename=crlf.dat\r\n\r\nrw=write\r");
  CHECK(parsed.diagnostics.empty());
  REQUIRE(parsed.sections.size() == 1);
  CHECK(parsed.sections[0].settings[0].value == "crlf.dat");
  CHECK(parsed.sections[0].settings[1].value == "write");
}

TEST_CASE("parser: other encodings are refused by their names", "[jobs]") {
  CHECK(only_message(parse_text(std::string_view("\xFF\xFE[\0j\0]\0", 8))) ==
        "t.fio: error: not a job file: the text is UTF-16 (little endian); save it as UTF-8\n");
  CHECK(only_message(parse_text(std::string_view("\xFE\xFF\0[\0j", 6))) ==
        "t.fio: error: not a job file: the text is UTF-16 (big endian); save it as UTF-8\n");
  CHECK(only_message(parse_text(std::string_view("\xFF\xFE\0\0[\0\0\0", 8))) ==
        "t.fio: error: not a job file: the text is UTF-32; save it as UTF-8\n");
}

TEST_CASE("parser: binary data is one mistake, told by its first byte", "[jobs]") {
  CHECK(only_message(parse_text(
            std::string_view("\x7F"
                             "ELF\x02\x01\x01\0\0\xFF\xFE\x1B[2Jname=\0\x01\x0A[\xFF",
                             24))) == "t.fio: error: not a job file (binary data at byte 1)\n");
  CHECK(only_message(parse_text(std::string_view("[a]\nrw=re\0ad\n", 13))) ==
        "t.fio: error: not a job file (binary data at byte 10)\n");
  CHECK(only_message(parse_text("[a]\rrw=read\r")) ==
        "t.fio: error: not a job file (binary data at byte 4)\n");
  CHECK(parse_text("[\xE4]\nfilename=\xFC\n").diagnostics.empty());
}

TEST_CASE("parser: an empty text and a [global] alone are no mistake of the parser", "[jobs]") {
  CHECK(parse_text("").diagnostics.empty());
  CHECK(parse_text("\n ; nothing\n").sections.empty());
  const Outcome outcome = read_jobs("[global]\nrw=read\n");
  CHECK(outcome.diagnostics.empty());
  CHECK(outcome.jobs.empty());
}

TEST_CASE("parser: a header must be closed, named and alone on its line", "[jobs]") {
  CHECK(only_message(parse_text("[j\nrw=read\n")) ==
        "t.fio:1: error: \"[j\" has no closing \"]\"\n    [j\n    ^\n");
  CHECK(only_message(parse_text("[]\n")) ==
        "t.fio:1: error: a section needs a name\n    []\n    ^\n");
  CHECK(only_message(parse_text("[ \t]\n")).find("a section needs a name") != std::string::npos);
  CHECK(only_message(parse_text("[a] rw=read\n")) ==
        "t.fio:1: error: \" rw=read\" behind the \"]\"\n    [a] rw=read\n       ^\n");
  CHECK(parse_text("[a]b]\n").sections[0].name == "a]b");
}

TEST_CASE("parser: a broken header keeps its lines from the section before", "[jobs]") {
  const Parsed parsed = parse_text("[a]\n[b\nrw=read\n");
  REQUIRE(parsed.sections.size() == 2);
  CHECK(parsed.sections[0].settings.empty());
}

TEST_CASE("parser: only [global] is global", "[jobs]") {
  const Parsed parsed = parse_text("[globalx]\nrw=read\n[Global]\n");
  REQUIRE(parsed.sections.size() == 2);
  CHECK_FALSE(parsed.sections[0].global);
  CHECK_FALSE(parsed.sections[1].global);
  CHECK(only_message(parsed) ==
        "t.fio:1: warning: [globalx] is a job of that name; fio takes it for [global]\n    "
        "[globalx]\n    ^\n");
}

TEST_CASE("parser: a section name has fio's 255 bytes at most", "[jobs]") {
  CHECK(parse_text("[" + std::string(255, 'n') + "]\n").diagnostics.empty());
  const std::string message = only_message(parse_text("\n[" + std::string(5000, 'n') + "]\n"));
  CHECK(message.starts_with(
      "t.fio:2: error: the section name has 5000 bytes; at most 255 would be right\n"));
}

TEST_CASE("parser: options outside of a section are told once", "[jobs]") {
  const Parsed parsed = parse_text("rw=read\nbs=4k\n[a]\n");
  CHECK(only_message(parsed) ==
        "t.fio:1: error: an option outside of a [section]\n    rw=read\n    ^\n");
}

TEST_CASE("parser: a line that is no option says what an option looks like", "[jobs]") {
  CHECK(only_message(parse_text("[a]\nrw read\n")) ==
        "t.fio:2: error: \"rw read\" is not an option; key=value would be right\n    rw read\n    "
        "^\n");
  CHECK(only_message(parse_text("[a]\n =4k\n")) ==
        "t.fio:2: error: a key is missing before the \"=\"\n     =4k\n     ^\n");
}

TEST_CASE("parser: a line of any length is kept whole", "[jobs]") {
  const std::string text(70000, 'x');
  const Parsed parsed = parse_text("[l]\ndescription=" + text + "\n");
  CHECK(parsed.diagnostics.empty());
  CHECK(parsed.sections[0].settings[0].value == text);
}

TEST_CASE("parser: all mistakes of a file come at once", "[jobs]") {
  const Outcome outcome = read_jobs("[a\nrw=reed\n[b]\n=3\niodepth=0\nbs=4x\n");
  CHECK(outcome.count(Severity::error) == 5);
  for (const char* line : {"t.fio:1:", "t.fio:2:", "t.fio:4:", "t.fio:5:", "t.fio:6:"})
    CHECK(outcome.says(line));
}

TEST_CASE("parser: a text of nothing but mistakes ends after 200 of them", "[jobs]") {
  std::string text = "[a]\n";
  for (int i = 0; i < 100000; ++i) text += "no option\n";
  const Parsed parsed = parse_text(text);
  CHECK(parsed.diagnostics.size() == 201);
  CHECK(parsed.diagnostics.back().message == "too many mistakes; the rest is not shown");
  std::string values = "[a]\n";
  for (int i = 0; i < 1000; ++i) values += fmt::format("bs={}x\n", i);
  CHECK(read_jobs(values).diagnostics.size() == 201);
}

TEST_CASE("parser: more sections than anybody runs are refused", "[jobs]") {
  std::string text;
  for (int i = 0; i < 70000; ++i) text += "[j]\n";
  const Parsed parsed = parse_text(text);
  CHECK(parsed.sections.size() == 65536);
  CHECK(only_message(parsed).find("more than 65536 sections") != std::string::npos);
}

TEST_CASE("parser: a text over 64 MiB is refused, not cut", "[jobs]") {
  const std::string text(kLargestJobFile + 1, '\n');
  CHECK(only_message(parse_text(text)).find("at most 67108864 would be right") !=
        std::string::npos);
}

TEST_CASE("parser: the real world reads files and pipes and refuses folders and devices",
          "[jobs]") {
  char folder[] = "/tmp/chronio-parser-XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  const std::string path = std::string(folder) + "/a.fio";
  std::ofstream(path) << "[a]\nrw=read\n";
  const ParserWorld world = real_world();
  std::string why;
  CHECK(world.read_file(path, why) == "[a]\nrw=read\n");
  CHECK_FALSE(world.read_file(folder, why));
  CHECK(why == "is a directory, not a job file");
  CHECK_FALSE(world.read_file("/dev/zero", why));
  CHECK(why == "is a character device, not a job file");
  CHECK_FALSE(real_world("result file").read_file("/dev/zero", why));
  CHECK(why == "is a character device, not a result file");
  CHECK_FALSE(world.read_file(std::string(folder) + "/absent", why));
  CHECK(why == "No such file or directory");
  REQUIRE(truncate(path.c_str(), static_cast<off_t>(kLargestJobFile) + 1) == 0);
  CHECK_FALSE(world.read_file(path, why));
  CHECK(why.find("too large") != std::string::npos);
  CHECK(unlink(path.c_str()) == 0);
  CHECK(rmdir(folder) == 0);
  CHECK(world.environment("PATH").has_value());
  CHECK_FALSE(world.environment("CHRONIO_NO_SUCH_VARIABLE"));
}

// expand_test.cpp: variables, keywords and includes.
#include "jobs/expand.hpp"

#include "tests/catch.hpp"
#include "tests/jobs_text.hpp"

#include <fmt/format.h>
#include <unistd.h>

using namespace chronio::jobs;

namespace {

const ParserWorld kWorld = fake_world({}, {{"N", "2"},
                                           {"SIZE", "64k"},
                                           {"EMPTY", ""},
                                           {"LINE", "rw=read"},
                                           {"LOOP", "${LOOP}"},
                                           {"HASH", "a#b"}});

}  // namespace

TEST_CASE("expand: variables stand for their values, which are not expanded again", "[jobs]") {
  CHECK(expand("size=${SIZE}", kWorld).text == "size=64k");
  CHECK(expand("${N}${N}x${EMPTY}", kWorld).text == "22x");
  CHECK(expand("${LOOP}", kWorld).text == "${LOOP}");
  CHECK(expand("$N $ {N} $$", kWorld).text == "$N $ {N} $$");
}

TEST_CASE("expand: an unset, unnamed or unclosed variable is an error at its place", "[jobs]") {
  const Expanded unset = expand("bs=${NOPE}", kWorld);
  CHECK(unset.error == "the environment variable NOPE is not set");
  CHECK(unset.at == 3);
  CHECK(expand("${", kWorld).error == "\"${\" without a closing \"}\"");
  CHECK(expand("a${}", kWorld).error == "\"${}\" names no variable");
}

TEST_CASE("expand: keywords are whole words, also at the very end", "[jobs]") {
  const std::string page = fmt::format("{}", sysconf(_SC_PAGESIZE));
  CHECK(expand("$pagesize", kWorld).text == page);
  CHECK(expand("a$pagesize.b$pagesize", kWorld).text == "a" + page + ".b" + page);
  CHECK(expand("$ncpus", kWorld).text == fmt::format("{}", sysconf(_SC_NPROCESSORS_ONLN)));
  CHECK(expand("$ncpus_", kWorld).text == "$ncpus_");
  CHECK(expand("$ncpus2", kWorld).text == "$ncpus2");
  CHECK(expand("$ncpu", kWorld).text == "$ncpu");
  const std::uint64_t memory = std::stoull(expand("$mb_memory", kWorld).text);
  CHECK(memory == static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                      static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) / 1048576);
}

TEST_CASE("expand: only what bc would take looks like arithmetic", "[jobs]") {
  CHECK(looks_like_arithmetic("8*3953"));
  CHECK(looks_like_arithmetic("(4096 + 1)k"));
  CHECK(looks_like_arithmetic("4096/2"));
  CHECK_FALSE(looks_like_arithmetic("/tmp/2"));
  CHECK_FALSE(looks_like_arithmetic("4096"));
  CHECK_FALSE(looks_like_arithmetic("2 CPUs - fast"));
  CHECK_FALSE(looks_like_arithmetic(""));
}

TEST_CASE("expand: a job file's lines take variables anywhere, after remarks are cut", "[jobs]") {
  const Outcome outcome =
      read_jobs("[e]\n${LINE}\nsize=${SIZE}\nnumjobs=${N}\ndescription=${HASH}\n", kWorld);
  CHECK(outcome.text().empty());
  REQUIRE(outcome.jobs.size() == 1);
  CHECK(outcome.jobs[0].job.rw == Rw::read);
  CHECK(outcome.jobs[0].job.size == Amount{65536, 0});
  CHECK(outcome.jobs[0].job.numjobs == 2);
  CHECK(outcome.jobs[0].job.description == "a#b");
  CHECK(outcome.jobs[0].written[1].value == "64k");
}

TEST_CASE("expand: a job file's mistakes with variables have line and caret", "[jobs]") {
  const Outcome unset = read_jobs("[e]\n bs=${NOPE}\n", kWorld);
  CHECK(unset.text() ==
        "t.fio:2: error: the environment variable NOPE is not set\n     bs=${NOPE}\n        ^\n");
  const Outcome wrong = read_jobs("[e]\niodepth=${EMPTY}\n", kWorld);
  CHECK(wrong.says("t.fio:2: error: iodepth=: the value is missing"));
  const Outcome value = read_jobs("[e]\nnumjobs=${SIZE}\n", kWorld);
  CHECK(
      value.says("numjobs=64k: a suffix is not allowed here; write 65536\n    numjobs=${SIZE}\n    "
                 "        ^"));
}

TEST_CASE("expand: arithmetic with a keyword is refused by name", "[jobs]") {
  const Outcome outcome = read_jobs("[e]\nsize=8*$pagesize\ndescription=/tmp/$ncpus/a\n");
  CHECK(outcome.count(Severity::error) == 1);
  CHECK(outcome.says("arithmetic with a $keyword is not done yet"));
}

TEST_CASE("include: its lines stand where it stands, with its own places", "[jobs]") {
  const auto world =
      fake_world({{"inc/base.fio", "ioengine=null\nsize=${SIZE}\nbs=4x\n"}}, {{"SIZE", "64k"}});
  const Parsed parsed =
      parse("[global]\ninclude base.fio\n[a]\nrw=read\n", "inc/top.fio", 1, world);
  const Outcome outcome = resolve_all(parsed.sections, parsed.diagnostics);
  REQUIRE(outcome.jobs.size() == 1);
  CHECK(outcome.jobs[0].job.ioengine == "null");
  CHECK(outcome.jobs[0].job.size == Amount{65536, 0});
  CHECK(outcome.says("inc/base.fio:3: error: bs=4x:"));
}

TEST_CASE("include: it is looked for beside the including file, then as given", "[jobs]") {
  const auto world =
      fake_world({{"inc/a.fio", "bs=8k\n"}, {"a.fio", "bs=16k\n"}, {"b.fio", "bs=32k\n"}});
  const auto block = [&](const std::string& name) {
    const Parsed parsed = parse("[j]\ninclude " + name + "\n", "inc/top.fio", 1, world);
    return resolve_all(parsed.sections, parsed.diagnostics).jobs.at(0).job.bs[0];
  };
  CHECK(block("a.fio") == 8192);
  CHECK(block("b.fio") == 32768);
  CHECK(block("../a.fio") == 16384);
}

TEST_CASE("include: an absent file, a binary one and one with sections are refused", "[jobs]") {
  const auto world = fake_world({{"sections.fio", "bs=4k\n[x]\n"}, {"binary.fio", "a\x01"}});
  const auto text = [&](const char* line) {
    return read_jobs(std::string("[j]\n") + line, world).text();
  };
  CHECK(text("include gone.fio\n") ==
        "t.fio:2: error: include gone.fio: gone.fio: No such file or directory\n    include "
        "gone.fio\n    ^\n");
  CHECK(text("include\n").find("include needs a file name") != std::string::npos);
  CHECK(text("include sections.fio\n") ==
        "sections.fio:2: error: an included file can't hold sections\n    [x]\n    ^\n");
  CHECK(text("include binary.fio\n")
            .starts_with("t.fio:2: error: binary.fio: not a job file (binary data at byte 2)\n"));
}

TEST_CASE("include: a loop is refused with its chain", "[jobs]") {
  const auto world = fake_world(
      {{"a.fio", "include ./b.fio\n"}, {"b.fio", "include a.fio\n"}, {"t.fio", "include t.fio\n"}});
  CHECK(read_jobs("[j]\ninclude a.fio\n", world)
            .says("include makes a loop: t.fio -> a.fio -> b.fio -> a.fio"));
  CHECK(read_jobs("[j]\ninclude t.fio\n", world).says("include makes a loop: t.fio -> t.fio"));
}

TEST_CASE("include: depth, number and bytes end somewhere", "[jobs]") {
  ParserWorld deep = fake_world();
  deep.read_file = [](const std::string& path, std::string&) -> std::optional<std::string> {
    return "include x" + path + "\n";
  };
  CHECK(read_jobs("[j]\ninclude a\n", deep)
            .says("includes are nested deeper than 16: t.fio -> a -> xa"));

  ParserWorld wide = fake_world();
  std::size_t reads = 0;
  wide.read_file = [&](const std::string& path, std::string&) -> std::optional<std::string> {
    ++reads;
    return "include x" + path + "\ninclude y" + path + "\n";
  };
  const Outcome outcome = read_jobs("[j]\ninclude a\n", wide);
  CHECK(outcome.count(Severity::error) > 0);
  CHECK(reads <= 1000);

  const auto large =
      fake_world({{"a", std::string(1 << 20, '\n')}}, {{"V", std::string(1 << 20, 'v')}});
  std::string text = "[j]\n";
  for (int i = 0; i < 100; ++i) text += "include a\n";
  CHECK(read_jobs(text, large).says("includes and variables make the job file too large"));
  std::string values = "[j]\n";
  for (int i = 0; i < 100; ++i) values += "description=${V}\n";
  CHECK(read_jobs(values, large).says("includes and variables make the job file too large"));
  std::string line = "[j]\ndescription=";
  for (int i = 0; i < 100; ++i) line += "${V}";
  CHECK(read_jobs(line, large).says("the line gets too long"));
}

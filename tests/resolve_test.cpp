// resolve_test.cpp: sections to jobs: inheritance, repetition, order, limits of paths.
#include "jobs/options.hpp"
#include "tests/catch.hpp"
#include "tests/jobs_text.hpp"

#include <fmt/format.h>

using namespace chronio::jobs;

namespace {

using Names = std::vector<std::string>;

std::vector<Section> sections_of(std::string_view text, std::uint32_t source) {
  return parse(text, fmt::format("{}.fio", source), source, fake_world()).sections;
}

void append(std::vector<Section>& to, std::vector<Section> from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

TEST_CASE("resolve: each [global] changes the defaults of the sections below it", "[jobs]") {
  const Outcome outcome =
      read_jobs("[global]\nbs=8k\niodepth=4\n[a]\n[global]\niodepth=8\n[b]\nbs=16k\n[c]\n");
  CHECK(outcome.diagnostics.empty());
  REQUIRE(outcome.jobs.size() == 3);
  CHECK(outcome.jobs[0].job.iodepth == 4);
  CHECK(outcome.jobs[1].job.iodepth == 8);
  CHECK(outcome.jobs[1].job.bs[0] == 16384);
  CHECK(outcome.jobs[2].job.bs[0] == 8192);
  CHECK(outcome.jobs[2].where.line == 9);
}

TEST_CASE("resolve: a job is called after its section or its name=, never after a global name=",
          "[jobs]") {
  const Outcome outcome =
      read_jobs("[global]\nname=raw-randread\nrw=randread\n[job1]\n[job2]\nname=read_iops\n");
  REQUIRE(outcome.jobs.size() == 2);
  CHECK(outcome.jobs[0].job.name == "job1");
  CHECK(outcome.jobs[1].job.name == "read_iops");
  CHECK(outcome.jobs[0].job.rw == Rw::randread);
  CHECK(outcome.text().starts_with("t.fio:2: note: name=raw-randread: names no job"));
  CHECK(outcome.diagnostics.size() == 1);
}

TEST_CASE("resolve: repeated file names add within a section, and replace inherited ones",
          "[jobs]") {
  const Outcome added = read_lines("filename=a:x\nfilename=b\nfilename=c\\:d\n");
  REQUIRE(added.jobs.size() == 1);
  CHECK(added.jobs[0].job.filename == Names{"a", "x", "b", "c:d"});
  CHECK(added.count(Severity::warning) == 2);
  CHECK(added.says("filename=b: added to the list; fio takes the last one alone"));
  REQUIRE(added.jobs[0].written.size() == 1);
  CHECK(added.jobs[0].written[0].value == "a:x:b:c\\:d");

  const Outcome replaced =
      read_jobs("[global]\nfilename=a:b:c\n[j]\nfilename=x\n[k]\n[global]\nfilename=z\n[l]\n");
  REQUIRE(replaced.jobs.size() == 3);
  CHECK(replaced.jobs[0].job.filename == Names{"x"});
  CHECK(replaced.jobs[1].job.filename == Names{"a", "b", "c"});
  CHECK(replaced.jobs[2].job.filename == Names{"z"});
  CHECK(replaced.diagnostics.empty());
}

TEST_CASE("resolve: a directory is not added to", "[jobs]") {
  CHECK(read_lines("directory=a\ndirectory=b\n").jobs[0].job.directory == Names{"b"});
}

TEST_CASE("resolve: what was written is there once per canonical key, the last one in force",
          "[jobs]") {
  const Outcome outcome =
      read_jobs("[global]\nblocksize=8k\nreadwrite=read\n[j]\nbs=16k\ndirect=0\nbuffered=0\n");
  REQUIRE(outcome.jobs.size() == 1);
  const JobSpec& spec = outcome.jobs[0];
  REQUIRE(spec.written.size() == 3);
  CHECK(spec.written[0].key == "bs");
  CHECK(spec.written[0].value == "16k");
  CHECK(spec.written[0].where.line == 5);
  CHECK(spec.written[1].key == "rw");
  CHECK(spec.written[2].key == "buffered");
  CHECK(written_by(spec, *find_option("direct"))->where.line == 7);
  CHECK(written_by(spec, *find_option("buffered"))->where.line == 7);
  CHECK(written_by(spec, *find_option("iodepth")) == nullptr);
  REQUIRE(outcome.global_options.size() == 2);
  CHECK(outcome.global_options[0].key == "bs");
  CHECK(outcome.global_options[0].value == "8k");
}

TEST_CASE("resolve: global options hold each key once, engine options too", "[jobs]") {
  const Outcome outcome =
      read_jobs("[global]\nbs=8k\nhipri\n[global]\nblocksize=4k\nhipri=0\n[j]\n");
  REQUIRE(outcome.global_options.size() == 2);
  CHECK(outcome.global_options[0].value == "4k");
  CHECK(outcome.global_options[1].key == "hipri");
  CHECK(outcome.global_options[1].value == "0");
  CHECK(outcome.jobs[0].unknown.size() == 2);
}

TEST_CASE(
    "resolve: globals of the command line reach every later job, those of a file only its own",
    "[jobs]") {
  std::vector<Section> sections;
  sections.push_back(argument_section("global"));
  sections.back().settings.push_back(argument("runtime", "30"));
  append(sections, sections_of("[global]\nbs=8k\n[a]\n", 1));
  append(sections, sections_of("[b]\nruntime=7\n", 2));
  sections.push_back(argument_section("c"));
  const Outcome outcome = resolve_all(sections);
  REQUIRE(outcome.jobs.size() == 3);
  CHECK(outcome.jobs[0].job.runtime_ns == 30'000'000'000);
  CHECK(outcome.jobs[0].job.bs[0] == 8192);
  CHECK(outcome.jobs[1].job.runtime_ns == 7'000'000'000);
  CHECK(outcome.jobs[1].job.bs[0] == 4096);
  CHECK(outcome.jobs[2].job.runtime_ns == 30'000'000'000);
  CHECK(outcome.jobs[2].job.bs[0] == 4096);
}

TEST_CASE("resolve: the same file given twice makes its jobs twice, a stonewall between",
          "[jobs]") {
  const char* text = "[global]\nnumjobs=4\n[w]\n[x]\n";
  std::vector<Section> sections = sections_of(text, 1);
  append(sections, sections_of(text, 2));
  const Outcome outcome = resolve_all(sections);
  REQUIRE(outcome.jobs.size() == 4);
  for (const JobSpec& spec : outcome.jobs) CHECK(spec.job.numjobs == 4);
  CHECK_FALSE(outcome.jobs[0].job.stonewall);
  CHECK_FALSE(outcome.jobs[1].job.stonewall);
  CHECK(outcome.jobs[2].job.stonewall);
  CHECK_FALSE(outcome.jobs[3].job.stonewall);
}

TEST_CASE("resolve: jobs of the command line run beside those of the first job file, as with fio",
          "[jobs]") {
  std::vector<Section> sections = {argument_section("c")};
  append(sections, sections_of("[a]\n", 1));
  append(sections, sections_of("[b]\n", 2));
  const Outcome outcome = resolve_all(sections);
  REQUIRE(outcome.jobs.size() == 3);
  CHECK_FALSE(outcome.jobs[1].job.stonewall);
  CHECK(outcome.jobs[2].job.stonewall);
}

TEST_CASE("resolve: a mistake on the command line has no line and no caret", "[jobs]") {
  std::vector<Section> sections = {argument_section("p")};
  sections[0].settings.push_back(argument("numjobs", "/data"));
  CHECK(resolve_all(sections).text() ==
        "command line: error: numjobs=/data: /data is not a number\n");
}

TEST_CASE("resolve: a mistake in [global] is told once, however many jobs inherit it", "[jobs]") {
  const Outcome outcome =
      read_jobs("[global]\nbs=4x\nfilename=" + std::string(300, 'f') + "\n[a]\n[b]\n[c]\n");
  CHECK(outcome.count(Severity::error) == 2);
}

TEST_CASE("resolve: thread=0 is noted and changes nothing", "[jobs]") {
  const Outcome outcome = read_lines("thread=0\n");
  CHECK(outcome.jobs[0].job.thread);
  CHECK(outcome.says("note: thread=0: jobs are always threads"));
  CHECK(read_lines("thread\n").diagnostics.empty());
}

TEST_CASE(
    "resolve: a number behind a blank is taken whole, with a warning where fio loses its suffix",
    "[jobs]") {
  const Outcome outcome =
      read_lines("size = 8k\nruntime = 1m\nrw = read\niodepth = 4\nbs= 4096\noffset = 10%\n");
  CHECK(outcome.jobs[0].job.size == Amount{8192, 0});
  CHECK(outcome.jobs[0].job.runtime_ns == 60'000'000'000);
  CHECK(outcome.jobs[0].job.rw == Rw::read);
  CHECK(outcome.diagnostics.size() == 2);
  CHECK(
      outcome.says("t.fio:2: warning: size=8k: fio loses the suffix behind a blank and takes 8\n"));
  CHECK(outcome.says(
      "t.fio:3: warning: runtime=1m: fio loses the suffix behind a blank and takes 1\n"));
}

TEST_CASE("resolve: paths over the system's limits are refused with their line", "[jobs]") {
  CHECK(read_lines("filename=" + std::string(256, '@') + "\n")
            .says("t.fio:2: error: "
                  "filename=@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@...@@@@@@@@@@@@@@@: path too "
                  "long: a part of it has 256 bytes; at most 255 would be right"));
  CHECK(read_lines("filename=x/" + std::string(255, '@') + "/y\n").diagnostics.empty());
  CHECK(read_lines("directory=" + std::string(256, 'd') + "\n")
            .says("path too long: a part of it has 256 bytes"));

  std::string directory;
  for (int i = 0; i < 2000; ++i) directory += "d/";
  const Outcome joined =
      read_lines("directory=" + directory + "\nfilename=" + std::string(200, 'f') + "\n");
  CHECK(joined.says("t.fio:3: error: filename="));
  CHECK(joined.says("path too long: 4200 bytes with the directory; at most 4095 would be right"));
  CHECK(joined.count(Severity::error) == 1);
  CHECK(read_lines("directory=" + directory + "\nfilename=" + std::string(95, 'f') + "\n")
            .diagnostics.empty());
  CHECK(read_lines("directory=" + directory + "\nfilename=/" + std::string(200, 'f') + "\n")
            .diagnostics.empty());
  // "j.9.0" is the name of the last copy's file.
  CHECK(read_lines("numjobs=10\ndirectory=" + directory + std::string(89, 'd') + "\n")
            .diagnostics.empty());
  CHECK(read_lines("numjobs=10\ndirectory=" + directory + std::string(90, 'd') + "\n")
            .says("path too long: 4096"));
}

TEST_CASE("resolve: generated names over the system's limits are refused before anything is opened",
          "[jobs]") {
  // ".0.0" are four bytes, ".9.10" five.
  CHECK(read_jobs("[" + std::string(251, 'j') + "]\n").diagnostics.empty());
  CHECK(read_jobs("[" + std::string(252, 'j') + "]\n")
            .says("t.fio:1: error: file "
                  "jjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjj...jjjjjjjjjjj.0.0: path "
                  "too long: a part of it has 256 bytes; at most 255 would be right"));
  CHECK(read_jobs("[" + std::string(250, 'j') + "]\nnumjobs=10\nnrfiles=11\n").diagnostics.empty());
  CHECK(read_jobs("[" + std::string(251, 'j') + "]\nnumjobs=10\nnrfiles=11\n").says("256 bytes"));
  CHECK(
      read_jobs("[" + std::string(255, 'j') + "]\nfilename_format=$jobnum\n").diagnostics.empty());
  CHECK(read_jobs("[" + std::string(255, 'j') + "]\nfilename=f\n").diagnostics.empty());
  const std::string long_format = "filename_format=" + std::string(250, 'f') + ".$filenum\n";
  CHECK(read_lines("nrfiles=10000\n" + long_format).diagnostics.empty());
  const Outcome outcome = read_lines("nrfiles=10001\n" + long_format);
  CHECK(outcome.says("t.fio:3: error: filename_format="));
  CHECK(outcome.says("a part of it has 256 bytes"));
  // Each part counts by itself.
  CHECK(read_jobs("[" + std::string(255, 'j') + "]\nfilename_format=$jobname/$jobname\n")
            .diagnostics.empty());
}

TEST_CASE("resolve: globals that grow with the sections beyond all memory are refused", "[jobs]") {
  std::string text = "[global]\ndescription=" + std::string(4 << 20, 'x') + "\n";
  for (int i = 0; i < 100; ++i) text += "[j]\n";
  const Outcome outcome = read_jobs(text);
  CHECK(outcome.says("the [global] options take too much memory for so many sections"));
  CHECK(outcome.jobs.size() < 100);
}

TEST_CASE("resolve: no diagnostics on the jobs that guides hand round", "[jobs]") {
  const char* kubestr_like =
      "[global]\nrandrepeat=0\nioengine=io_uring\ndirect=1\n[job1]\nname=read_iops\nbs=4K\niodepth="
      "64\n"
      "size=2G\nreadwrite=randread\ntime_based\nramp_time=2s\nruntime=15s\n";
  CHECK(read_jobs(kubestr_like).text().empty());
  const char* oracle_like =
      "[global]\nbs=256K\niodepth=64\ndirect=1\ngroup_reporting\ntime_based\nruntime=120\nnumjobs="
      "4\n"
      "rw=randread\n[job1]\nfilename=/dev/x\n";
  CHECK(read_jobs(oracle_like).text().empty());
}

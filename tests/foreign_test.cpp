// foreign_test.cpp: fio's options that chronio knows of but does not do, and keys that nobody
// knows.
#include "jobs/options.hpp"
#include "tests/catch.hpp"
#include "tests/jobs_text.hpp"

#include <fmt/format.h>
#include <set>
#include <string>

using namespace chronio::jobs;

namespace {

Diagnostic unknown(const std::string& key, const std::string& value,
                   const std::vector<std::string>& engine = {}) {
  return unknown_option(argument(key, value), engine);
}

}  // namespace

TEST_CASE("foreign: every entry has a reason and stands there once", "[jobs]") {
  std::set<std::string_view> keys;
  for (const ForeignOption* option : foreign_options()) {
    CAPTURE(option->key);
    CHECK(keys.insert(option->key).second);
    CHECK_FALSE(option->reason.empty());
    CHECK(find_foreign(option->key) == option);
    CHECK(find_option(option->key) == nullptr);
  }
  CHECK(keys.size() > 250);
}

TEST_CASE("foreign: a value that could change a result is refused by name", "[jobs]") {
  for (const char* line :
       {"verify=crc32c", "gtod_cpu=1", "sync=1", "kb_base=1000", "bsrange=4k-8k", "rate_iops=90,10",
        "write_bw_log=x", "buffer_pattern", "exitall", "refill_buffers", "zonemode=zbd",
        "verify_pattern=0xff", "offset_increment=500m"}) {
    CAPTURE(line);
    const Outcome outcome = read_lines(std::string(line) + "\n");
    CHECK(outcome.count(Severity::error) == 1);
    CHECK(outcome.text().starts_with(fmt::format("t.fio:2: error: {}: refused: ", line)));
  }
}

TEST_CASE("foreign: a harmless value is accepted with a note", "[jobs]") {
  for (const char* line :
       {"verify=0", "verify=none", "stats=1", "sync=0", "sync=none", "kb_base=1024", "do_verify=1",
        "threads=1", "unit_base=8", "log_avg_msec=1000", "refill_buffers=0",
        "random_generator=tausworthe64", "fallocate=none", "disk_util=0",
        "cpus_allowed_policy=shared", "unified_rw_reporting=0", "zonemode=none"}) {
    CAPTURE(line);
    const Outcome outcome = read_lines(std::string(line) + "\n");
    CHECK(outcome.diagnostics.size() == 1);
    CHECK(
        outcome.text().starts_with(fmt::format("t.fio:2: note: {}: changes nothing here: ", line)));
  }
}

TEST_CASE("foreign: an option of the command line is called that, with its dashes", "[jobs]") {
  CHECK(read_lines("output-format=json\n").text() ==
        "t.fio:2: error: command line only: --output-format=json\n    output-format=json\n    ^\n");
  CHECK(read_lines("status_interval=1\n").says("command line only: --status-interval=1"));
  CHECK(read_lines("readonly\n").says("command line only: --readonly\n"));
}

TEST_CASE(
    "foreign: on the command line, what is not done there is refused with what would be right",
    "[jobs]") {
  const auto message = [](const char* key, const char* value) {
    Section section;
    section.settings = {argument(key, value)};
    const std::vector<Section> sections{section};
    return resolve(sections).diagnostics.at(0).message;
  };
  CHECK(message("minimal", "1") == "--minimal=1: refused: not done yet; --output-format=json is");
  CHECK(message("status-interval", "1").find("not done yet") != std::string::npos);
  CHECK(message("client", "x").find("several hosts are not done yet") != std::string::npos);
  CHECK(message("showcmd", "1").find("chronio explain") != std::string::npos);
  CHECK(read_lines("minimal\n").says("command line only: --minimal\n"));
}

TEST_CASE("foreign: an engine's option is left to the one who knows the engine", "[jobs]") {
  const Outcome outcome = read_lines("hipri=1\ncmd_type=nvme\nnonsense=1\n");
  CHECK(outcome.diagnostics.empty());
  REQUIRE(outcome.jobs[0].unknown.size() == 3);
  CHECK(unknown("hipri", "1").message ==
        "hipri=1: refused: an option of the io_uring ioengine; this job has another");
  CHECK(unknown("cmd_type", "nvme").severity == Severity::error);
  CHECK(unknown("nonvectored", "1").severity == Severity::note);
  CHECK(unknown("nowait", "0").severity == Severity::note);
  CHECK(unknown("nowait", "1").severity == Severity::error);
}

TEST_CASE("foreign: an unknown key gets the nearest one suggested", "[jobs]") {
  const auto message = [](const std::string& key) {
    return unknown(key, "1", {"sqthread_poll"}).message;
  };
  CHECK(message("iodpeth") == "unknown option \"iodpeth\"; did you mean \"iodepth\"?");
  CHECK(message("RW") == "unknown option \"RW\"; did you mean \"rw\"?");
  CHECK(message("--bs") == "unknown option \"--bs\"; did you mean \"bs\"?");
  CHECK(message("group-reporting") ==
        "unknown option \"group-reporting\"; did you mean \"group_reporting\"?");
  CHECK(message("sqthread-pol") ==
        "unknown option \"sqthread-pol\"; did you mean \"sqthread_poll\"?");
  CHECK(message("gtod_reduced") ==
        "unknown option \"gtod_reduced\"; did you mean \"gtod_reduce\"?");
  CHECK(message("xyzzy_plugh") == "unknown option \"xyzzy_plugh\"");
  CHECK(message("\x1B[2J") == "unknown option \"\\x1b[2J\"");
}

TEST_CASE("foreign: suggesting ends for keys of any length", "[jobs]") {
  CHECK(suggest(std::string(100000, 'x')).empty());
  CHECK(suggest("").empty());
  CHECK(suggest("---").empty());
  CHECK(suggest("filenam") == "filename");
}

TEST_CASE("foreign: an endless list of unknown keys ends at the first one too many", "[jobs]") {
  std::string text = "[j]\n";
  for (int i = 0; i < 10000; ++i) text += fmt::format("zzqq{}=1\n", i);
  const Outcome outcome = read_jobs(text);
  CHECK(outcome.jobs[0].unknown.size() == 64);
  CHECK(outcome.text().starts_with("t.fio:66: error: unknown option \"zzqq64\""));
}

// report_run_test.cpp: the whole report: what scripts grep, where it says that a run is incomplete,
// and what never stands in it.
#include "report/format.hpp"
#include "report/text.hpp"
#include "tests/catch.hpp"
#include "tests/run_samples.hpp"

#include <algorithm>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

using namespace chronio;
using report::run_text;
using report::Terminal;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// grep -E LINE | grep -Eo PART: all parts, as the scripts of users find them.
std::vector<std::string> grep(const std::string& text, const std::string& line_pattern,
                              const std::string& part_pattern) {
  const std::regex wanted(line_pattern);
  const std::regex part(part_pattern, std::regex::icase);
  std::vector<std::string> found;
  for (const std::string& line : lines_of(text)) {
    if (!std::regex_search(line, wanted)) continue;
    for (std::sregex_iterator at(line.begin(), line.end(), part), end; at != end; ++at) {
      found.push_back(at->str());
    }
  }
  return found;
}

using Found = std::vector<std::string>;

results::Run mixed_run() {
  results::Run run = tests::sample_run();
  run.jobs[0].directions[1] = tests::direction_of(700, 20'000, 9);
  return run;
}

}  // namespace

TEST_CASE("report: scripts find IOPS, bandwidth and latency where fio has them", "[report]") {
  const std::string text = run_text(mixed_run(), Terminal());
  CHECK(grep(text, "read ?:", "IOPS=[0-9k.]+") == Found{"IOPS=2000"});
  CHECK(grep(text, "write:", "IOPS=[0-9k.]+") == Found{"IOPS=700"});
  CHECK(grep(text, "read ?:", "BW=[0-9GMKiBs/.]+") == Found{"BW=8000KiB/s"});
  CHECK(grep(text, "READ:", "(aggrb|bw)=[0-9GMKiBs/.]+") == Found{"bw=8000KiB/s"});
  CHECK(grep(text, "WRITE:", "(aggrb|bw)=[0-9GMKiBs/.]+") == Found{"bw=2800KiB/s"});
  CHECK(grep(text, " lat.*avg", "avg=[0-9.]+").size() == 2);
  CHECK(grep(text, "err=", "err= 0").size() == 1);
  CHECK(grep(text, "99\\.90th|99\\.9[0]?th", "99\\.90th=\\[ *[0-9]+\\]").size() == 2);
}

TEST_CASE("report: without latencies no line claims one", "[report]") {
  results::Run run = tests::sample_run();
  for (results::Direction& direction : run.jobs[0].directions) {
    direction.slat = direction.clat = direction.lat = {};
  }
  const std::string text = run_text(run, Terminal());
  CHECK(grep(text, "read ?:", "IOPS=[0-9k.]+") == Found{"IOPS=2000"});
  CHECK_FALSE(has(text, "lat "));
  CHECK_FALSE(has(text, "percentiles"));
  CHECK_FALSE(has(text, "histogram"));
}

TEST_CASE("report: it opens with fio's lines and ends with clock and host", "[report]") {
  const std::vector<std::string> lines = lines_of(run_text(tests::sample_run(), Terminal()));
  REQUIRE(lines.size() > 20);
  CHECK(lines[0].starts_with("sample: (g=0): rw=randread, bs=(R) 4096B-4096B, "));
  CHECK(lines[1] == "chronio-0.1.0");
  CHECK(lines[2].empty());
  CHECK(lines[3] == "sample: (groupid=0, jobs=1): err= 0: Mon Sep 21 14:13:21 2026");
  CHECK(lines[lines.size() - 2] == "clock: tsc, rdtscp: ok");
  CHECK(lines[lines.size() - 1] == "host: Linux 6.1.0, A CPU");
}

TEST_CASE("report: the time is that of the host that ran", "[report]") {
  results::Run run = tests::sample_run();
  run.host.utc_offset_s = 2 * 3600;
  CHECK(has(run_text(run, Terminal()), "Mon Sep 21 16:13:21 2026"));
}

TEST_CASE("report: the result of another tool keeps its name", "[report]") {
  results::Run run = tests::sample_run();
  run.version = "fio-3.33";
  CHECK(has(run_text(run, Terminal()), "\nfio-3.33\n"));
}

TEST_CASE("report: of a clock that the result does not tell of nothing is said", "[report]") {
  results::Run run = tests::sample_run();
  run.clock = {};
  CHECK_FALSE(has(run_text(run, Terminal()), "clock"));
}

TEST_CASE("report: copies of a job share one opening line", "[report]") {
  results::Run run = tests::sample_run();
  run.jobs.assign(3, run.jobs[0]);
  run.jobs.push_back(tests::sample_job("other"));
  const std::vector<std::string> lines = lines_of(run_text(run, Terminal()));
  CHECK(lines[1] == "...");
  CHECK(lines[2].starts_with("other: (g=0)"));
  CHECK(lines[3] == "chronio-0.1.0");
  run.jobs = {tests::sample_job()};
  run.jobs[0].workers = 4;
  CHECK(lines_of(run_text(run, Terminal()))[1] == "...");
}

TEST_CASE("report: a group sums its jobs and shows slowest and fastest", "[report]") {
  results::Run run = tests::sample_run();
  run.jobs.push_back(tests::sample_job("b"));
  run.jobs[1].directions[0].io_bytes *= 3;
  run.jobs[1].directions[0].runtime_ns = 2'000'000'000;
  CHECK(has(run_text(run, Terminal()),
            "Run status group 0 (all jobs):\n"
            "   READ: bw=15.6MiB/s (16.4MB/s), 8000KiB/s-11.7MiB/s (8192kB/s-12.3MB/s), "
            "io=31.2MiB (32.8MB), run=1000-2000msec\n"));
}

TEST_CASE("report: each group has its own status, in order", "[report]") {
  results::Run run = tests::sample_run();
  run.jobs.push_back(tests::sample_job("b"));
  run.jobs[1].groupid = 1;
  const std::string text = run_text(run, Terminal());
  CHECK(text.find("Run status group 0") < text.find("Run status group 1"));
  CHECK(grep(text, "READ:", "bw=[^ ]+") == Found{"bw=8000KiB/s", "bw=8000KiB/s"});
}

TEST_CASE("report: an interrupted run says so first and last", "[report]") {
  results::Run run = tests::sample_run();
  run.complete = false;
  run.stopped_by = "SIGINT";
  const std::string told = "INTERRUPTED by SIGINT after 1.20 s: results so far";
  std::vector<std::string> lines = lines_of(run_text(run, Terminal()));
  CHECK(lines.front() == told);
  CHECK(lines.back() == told);
  run.stopped_by = "SIG\x1b[2J";  // from a file that anybody may have written
  CHECK(lines_of(run_text(run, Terminal())).front().starts_with("INTERRUPTED by SIG?[2J after"));
  run.stopped_by = "I/O error";
  CHECK(lines_of(run_text(run, Terminal())).front() ==
        "STOPPED by I/O error after 1.20 s: results so far");
  run.stopped_by = "";
  CHECK(lines_of(run_text(run, Terminal())).front() == "CUT SHORT after 1.20 s: results so far");
  run.complete = true;
  CHECK_FALSE(has(run_text(run, Terminal()), "results so far"));
}

TEST_CASE("report: a job without any I/O is reported without figures it does not have",
          "[report]") {
  results::Run run = tests::sample_run();
  results::Job idle;
  idle.jobname = "idle";
  run.jobs = {idle};
  const std::string text = run_text(run, Terminal());
  CHECK_FALSE(has(text, "IOPS="));
  CHECK(has(text, "issued rwts: total=0,0,0,0 "));
  CHECK(has(text, "\nRun status group 0 (all jobs):\n\n"));
  run.jobs.clear();
  CHECK(has(run_text(run, Terminal()), "no job ran\n"));
}

TEST_CASE("report: without UTF-8 all of it is ASCII", "[report]") {
  const std::string text = run_text(mixed_run(), Terminal());
  CHECK(std::all_of(text.begin(), text.end(),
                    [](char letter) { return static_cast<unsigned char>(letter) < 0x80; }));
  Terminal terminal;
  terminal.utf8 = true;
  CHECK(has(run_text(mixed_run(), terminal), "█"));
}

TEST_CASE("report: colour only on a terminal that has it", "[report]") {
  results::Run run = tests::sample_run();
  run.jobs[0].notes = {"doubtful"};
  run.complete = false;
  CHECK_FALSE(has(run_text(run, Terminal()), "\x1b"));
  Terminal terminal;
  terminal.color = true;
  CHECK(has(run_text(run, terminal), "\x1b[33m  note         : doubtful\x1b[0m\n"));
}

TEST_CASE("report: our own lines keep to 80 columns and to a narrower terminal", "[report]") {
  results::Run run = mixed_run();
  run.jobs[0].notes = {std::string("a note with many words ") + std::string(60, 'w') + " in it"};
  run.host = {"a-host-name",
              "6.1.0-18-amd64",
              "x86_64",
              "Some CPU Model 1234 64-Core Processor",
              64,
              "performance",
              "tsc",
              1ULL << 38U,
              "KVM"};
  // fio's own lines are as long as fio makes them.
  const std::regex fios(
      "^(   READ|  WRITE|   bw \\(|  IO depths|     submit|     complete|sample: )"
      "|issued rwts|^     \\||avg=");
  Terminal terminal;
  for (const int width : {50, 80, 200}) {
    terminal.width = width;
    for (const std::string& line : lines_of(run_text(run, terminal))) {
      if (std::regex_search(line, fios) || has(line, "www") || has(line, "lat (")) continue;
      CAPTURE(line);
      CHECK(report::columns(line) <= static_cast<std::size_t>(std::max(std::min(width, 80), 76)));
    }
  }
}

TEST_CASE("report: no run makes it say nan or inf, or leave spaces at a line's end", "[report]") {
  tests::RandomRuns random(5);
  const std::regex bad("[-=\\[ (](nan|inf)\\b|\x1b");
  for (int i = 0; i < 150; ++i) {
    for (const std::string& line : lines_of(run_text(random.run(), Terminal()))) {
      CAPTURE(line);
      CHECK_FALSE(std::regex_search(line, bad));
      CHECK((line.empty() || line.back() != ' '));
    }
  }
}

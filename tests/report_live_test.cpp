// report_live_test.cpp: the live line's words, its width, and what it writes on a terminal and
// elsewhere.
#include "report/format.hpp"
#include "report/live.hpp"
#include "tests/catch.hpp"

#include <cstdio>
#include <memory>
#include <string>

using namespace chronio;
using report::live_line;
using report::LiveLine;
using report::Terminal;
using runner::Phase;
using runner::Progress;

namespace {

Progress running() {
  Progress progress;
  progress.jobs = "randread-4k";
  progress.workers = 1;
  progress.elapsed_ns = 20'000'000'000;
  progress.done = 0.456;
  progress.eta_ns = 64'100'000'000;
  progress.interval.length_ns = 250'000'000;
  progress.interval.ios = {103'000, 0, 0};
  progress.interval.bytes = {103'000 * 4096ULL, 0, 0};
  progress.percentiles_ns = {74'800.0, 402'000.0};
  return progress;
}

/// What a LiveLine wrote after `tell` told it things.
template <class Tell>
std::string written(const Terminal& terminal, Tell tell) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
  REQUIRE(file != nullptr);
  LiveLine line(file.get(), terminal);
  tell(line);
  std::rewind(file.get());
  std::string text(4096, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  return text;
}

Terminal tty() {
  Terminal terminal;
  terminal.tty = true;
  return terminal;
}

runner::Stall stall() { return {"seq", "/data/file", 32, 5'020'000'000}; }

}  // namespace

TEST_CASE("live: the line has state, ETA, rates and the interval's percentiles", "[report]") {
  CHECK(live_line(running(), 120) ==
        "randread-4k: running 46% ETA 1:05  IOPS 412k  1609MiB/s  p50 74.8 us  p99.9 402 us");
}

TEST_CASE("live: what can't be told is left out", "[report]") {
  Progress progress;
  progress.jobs = "a";
  CHECK(live_line(progress, 80) == "a: running");
  progress.phase = Phase::layout;
  CHECK(live_line(progress, 80) == "a: laying out");
}

TEST_CASE("live: an interval without I/Os says so", "[report]") {
  Progress progress = running();
  progress.interval.ios = {};
  progress.interval.bytes = {};
  progress.percentiles_ns = {};
  CHECK(live_line(progress, 80) == "randread-4k: running 46% ETA 1:05  IOPS 0  0B/s");
}

TEST_CASE("live: laying out has a bandwidth and no IOPS", "[report]") {
  Progress progress = running();
  progress.phase = Phase::layout;
  progress.percentiles_ns = {};
  progress.eta_ns = 3'700'000'000'000;
  CHECK(live_line(progress, 80) == "randread-4k: laying out 46% ETA 1:01:40  1609MiB/s");
}

TEST_CASE("live: directions are added up and several workers are counted", "[report]") {
  Progress progress = running();
  progress.interval.ios = {100, 50, 25};
  progress.workers = 4;
  const std::string line = live_line(progress, 120);
  CHECK(line.find("IOPS 700 ") != std::string::npos);
  CHECK(line.find("4 workers") != std::string::npos);
}

TEST_CASE("live: the line never passes the width, whatever the name", "[report]") {
  Progress progress = running();
  for (const std::string name : {"x", "a name of many words and 17 more",
                                 "\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc", "bad\x1b[31m\n"}) {
    progress.jobs = name;
    for (int width = 1; width <= 130; ++width) {
      const std::string line = live_line(progress, width);
      CHECK(report::columns(line) <= static_cast<std::size_t>(width));
      CHECK(line.find_first_of("\n\x1b") == std::string::npos);
    }
  }
  CHECK(live_line(progress, 0).size() <= 1);
}

TEST_CASE("live: a terminal's line is rewritten in place and cleared at the end", "[report]") {
  const std::string text = written(tty(), [](LiveLine& line) {
    CHECK(line.shows(0));
    line.progress(running());
    line.progress(running());
    line.group_done();
  });
  const std::string drawn = "\r\x1b[K" + live_line(running(), 79);
  CHECK(text == drawn + drawn + "\r\x1b[K");
}

TEST_CASE("live: elsewhere a plain line comes every 10 s and nothing is cleared", "[report]") {
  const std::string text = written(Terminal(), [](LiveLine& line) {
    for (std::uint64_t quarter = 0; quarter <= 100; ++quarter) {  // 25 s, four times a second
      Progress progress = running();
      progress.elapsed_ns = quarter * 250'000'000;
      CHECK(line.shows(progress.elapsed_ns) == (quarter == 40 || quarter == 80));
      line.progress(progress);
    }
    line.group_done();
  });
  const std::string one = live_line(running(), 80) + "\n";
  CHECK(text == one + one);
}

TEST_CASE("live: the next group's 10 s begin anew", "[report]") {
  const std::string text = written(Terminal(), [](LiveLine& line) {
    line.progress(running());  // at 20 s
    line.group_done();
    Progress next = running();
    next.elapsed_ns = 10'000'000'000;
    line.progress(next);
  });
  const std::string one = live_line(running(), 80) + "\n";
  CHECK(text == one + one);
}

TEST_CASE("live: a stall is named with its job, its path and what is outstanding", "[report]") {
  CHECK(written(Terminal(), [](LiveLine& line) { line.stalled(stall()); }) ==
        "seq: no completion for 5.0 s, 32 I/Os outstanding on /data/file\n");
}

TEST_CASE("live: the line is cleared before a stall is named", "[report]") {
  const std::string text = written(tty(), [](LiveLine& line) {
    line.progress(running());
    line.stalled(stall());
    line.group_done();
  });
  CHECK(text == "\r\x1b[K" + live_line(running(), 79) +
                    "\r\x1b[Kseq: no completion for 5.0 s, 32 I/Os outstanding on /data/file\n");
}

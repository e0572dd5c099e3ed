// report_clock_test.cpp: the clock's line says what was measured and nothing else.
#include "report/clock_text.hpp"
#include "tests/catch.hpp"

#include <regex>
#include <sstream>
#include <string>

using namespace chronio;
using report::clock_text;
using report::Terminal;

namespace {

clock::Certificate good_tsc() {
  clock::Certificate certificate;
  certificate.source = clock::Source::tsc;
  certificate.verdict = clock::Verdict::ok;
  certificate.read = "lfence+rdtsc";
  certificate.read_cost_ns = 17.6;
  certificate.granule_ns = 10;
  certificate.hz = 2'096'000'000;
  certificate.hz_ppb = 21;
  certificate.hz_baseline_s = 10;
  certificate.cpus = 2;
  certificate.pairs_checked = 1;
  certificate.offset_bound_ns = {57.4, 60.0};
  return certificate;
}

/// `text` on one line.
std::string unwrapped(const std::string& text) {
  return std::regex_replace(text, std::regex("\\s+"), " ");
}

}  // namespace

TEST_CASE("clock line: a good counter is described in two lines", "[report]") {
  CHECK(clock_text(good_tsc(), Terminal()) ==
        "clock: tsc 2096.0 MHz +-21 ppb over 10.0 s, lfence+rdtsc 17.6 ns, granule 10 ns,\n"
        "       2 CPUs within 60 ns: ok\n");
}

TEST_CASE("clock line: the sign of uncertainty needs a UTF-8 locale", "[report]") {
  Terminal terminal;
  terminal.utf8 = true;
  CHECK(clock_text(good_tsc(), terminal)
            .find(" \xc2\xb1"
                  "21 ppb") != std::string::npos);
}

TEST_CASE("clock line: what was not measured is not there", "[report]") {
  clock::Certificate certificate;
  certificate.source = clock::Source::tsc;
  certificate.verdict = clock::Verdict::ok;
  CHECK(clock_text(certificate, Terminal()) == "clock: tsc: ok\n");
}

TEST_CASE("clock line: an offset that was not checked again at the end says so", "[report]") {
  clock::Certificate certificate = good_tsc();
  certificate.offset_bound_ns.end.reset();
  CHECK(clock_text(certificate, Terminal()).find("2 CPUs within 57.4 ns at start: ok") !=
        std::string::npos);
}

TEST_CASE("clock line: the kernel's clock has no rate, and its reason is in a line of its own",
          "[report]") {
  clock::Certificate certificate;
  certificate.source = clock::Source::monotonic_raw;
  certificate.verdict = clock::Verdict::fallback;
  certificate.read = "clock_gettime";
  certificate.hz = 1e9;
  certificate.findings = {
      "the counters of CPU 0 and CPU 1 differ by 3,000 ns, which is more than "
      "a latency may be wrong by"};
  CHECK(clock_text(certificate, Terminal()) ==
        "clock: monotonic_raw, clock_gettime: the kernel's clock, because the counter\n"
        "       can't be used\n"
        "  finding: the counters of CPU 0 and CPU 1 differ by 3,000 ns, which is more\n"
        "           than a latency may be wrong by\n");
}

TEST_CASE("clock line: doubt is named", "[report]") {
  clock::Certificate certificate = good_tsc();
  certificate.negative_deltas = 2;
  certificate.verdict = clock::Verdict::suspect;
  const std::string text = unwrapped(clock_text(certificate, Terminal()));
  CHECK(text.find("2 times below zero counted as 0 ns") != std::string::npos);
  CHECK(text.find("SUSPECT") != std::string::npos);
}

TEST_CASE("clock line: every verdict has its words", "[report]") {
  clock::Certificate certificate;
  std::string seen;
  for (const auto verdict : {clock::Verdict::ok, clock::Verdict::fallback, clock::Verdict::forced,
                             clock::Verdict::suspect, clock::Verdict::insufficient}) {
    certificate.verdict = verdict;
    const std::string text = clock_text(certificate, Terminal());
    CHECK(text.find("unknown") == std::string::npos);
    CHECK(seen.find(text) == std::string::npos);
    seen += text;
  }
}

TEST_CASE("clock details: the whole certificate, no line wider than the terminal", "[report]") {
  clock::Certificate certificate = good_tsc();
  certificate.method = "oneway";
  certificate.monotone = true;
  certificate.loops = 12;
  certificate.drift_bound_ppb = 1500;
  for (int first = 0; first < 16; ++first)
    for (int second = first + 1; second < 16; ++second)
      certificate.offsets.push_back({first, second, -20.0 - second, 30.0 + first});
  const std::string text = report::clock_details(certificate, Terminal());
  for (const char* part :
       {"verdict      : ok, every check passed", "lfence+rdtsc",
        "57.4 ns at the start, 60 ns at the end", "no later reading was lower in 12 loops",
        "1.5 ppm", "largest offset between CPUs in ns"})
    CHECK(text.find(part) != std::string::npos);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
}

TEST_CASE("clock details: offsets of any size stand in columns of their own", "[report]") {
  clock::Certificate certificate = good_tsc();
  certificate.offsets = {{0, 1, -20, 999.5}, {0, 2, -20, 30}, {1, 2, -20, 30}};
  std::string text = report::clock_details(certificate, Terminal());
  CHECK(text.find("in us:\n   CPU   0   1   2\n     0   -   1   1\n") != std::string::npos);
  certificate.offsets = {{0, 1, 0, 5e6}, {0, 2, 0, 1.2e9}, {1, 2, -7e11, 0}};
  text = report::clock_details(certificate, Terminal());
  CHECK(text.find("in s:\n   CPU   0   1   2\n     0   -   1   2\n     1   1   - 700\n") !=
        std::string::npos);
}

TEST_CASE("clock: figures of a slow or busy machine have no exponents", "[report]") {
  clock::Certificate certificate = good_tsc();
  certificate.method = "hop";
  certificate.hz_ppb = 123.4;
  certificate.probe_ms = 199.7;
  certificate.drift_bound_ppb = 1'640'000;
  certificate.offset_bound_ns = {19'900, 12'345.6};
  const std::string line = unwrapped(clock_text(certificate, Terminal()));
  CHECK(line.find("2096.0 MHz +-123 ppb over") != std::string::npos);
  CHECK(line.find("2 CPUs within 19900 ns") != std::string::npos);
  const std::string details = unwrapped(report::clock_details(certificate, Terminal()));
  CHECK(details.find("within 123 ppb over") != std::string::npos);
  CHECK(details.find("by hop in 200 ms") != std::string::npos);
  CHECK(details.find("1640 ppm between") != std::string::npos);
}

TEST_CASE("clock details: wide bounds are given in us, and a proof is said aloud", "[report]") {
  clock::Certificate certificate = good_tsc();
  certificate.offsets = {{0, 1, -20'000, 30'100}};
  certificate.skew_proven = true;
  certificate.monotone = false;
  const std::string text = report::clock_details(certificate, Terminal());
  CHECK(text.find("in us:\n   CPU   0   1\n     0   -  31\n     1  31   -\n") != std::string::npos);
  CHECK(text.find("A SKEW IS PROVEN") != std::string::npos);
  CHECK(text.find("LATER READINGS WERE LOWER") != std::string::npos);
}

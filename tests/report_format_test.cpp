// report_format_test.cpp: numbers and lines as text, against what fio prints for the same figures.
#include "report/format.hpp"
#include "tests/catch.hpp"

#include <algorithm>
#include <clocale>
#include <limits>
#include <string>

using namespace chronio::report;

TEST_CASE("format: scaled gives fio's figures", "[report]") {
  // Value, digits, base and text as fio 3.33 printed them.
  CHECK(scaled(6123, 4, Base::si) == "6123");
  CHECK(scaled(9999, 4, Base::si) == "9999");
  CHECK(scaled(10'011, 4, Base::si) == "10.0k");
  CHECK(scaled(29'876, 4, Base::si) == "29.9k");
  CHECK(scaled(256'000, 4, Base::si) == "256k");
  CHECK(scaled(4'369'066, 4, Base::si) == "4369k");
  CHECK(scaled(8'006'788, 4, Base::si) == "8007k");
  CHECK(scaled(155'004, 6, Base::si) == "155004");
  CHECK(scaled(4'384'312, 6, Base::si) == "4384.3k");
  CHECK(scaled(14'046'123, 6, Base::si) == "14046k");
  CHECK(scaled(4096, 4, Base::iec) == "4096");
  CHECK(scaled(16'384, 4, Base::iec) == "16.0Ki");
  CHECK(scaled(1'048'576, 4, Base::iec) == "1024Ki");
}

TEST_CASE("format: a carry reaches the next figure and the next prefix", "[report]") {
  CHECK(scaled(29'960, 4, Base::si) == "30.0k");  // fio 3.33 prints 29.0k
  CHECK(scaled(99'960, 4, Base::si) == "100k");
  CHECK(scaled(9'999'600, 4, Base::si) == "10.0M");
  CHECK(scaled(10'000, 4, Base::iec) == "9.77Ki");
}

TEST_CASE("format: scaled ends at the largest prefix", "[report]") {
  CHECK(scaled(0, 4, Base::si) == "0");
  CHECK(scaled(1.8e19, 4, Base::si) == "18.0E");
  CHECK(scaled(1e30, 4, Base::si) == "1000000000000E");
}

TEST_CASE("format: a handful of I/Os per second keeps its decimals", "[report]") {
  CHECK(iops_text(0) == "0");
  CHECK(iops_text(0.333) == "0.33");
  CHECK(iops_text(1e-9) == "0");
  CHECK(iops_text(2.5) == "2.5");
  CHECK(iops_text(9.996) == "10");
  CHECK(iops_text(1998.4) == "1998");
}

TEST_CASE("format: bandwidth and sizes carry fio's units", "[report]") {
  CHECK(rate_text(16.7 * 1024 * 1024 * 1024, Base::iec) == "16.7GiB/s");
  CHECK(rate_text(4'096'000, Base::si) == "4096kB/s");
  CHECK(bytes_text(268'435'456, Base::iec) == "256MiB");
  CHECK(bytes_text(268'435'456, Base::si) == "268MB");
  CHECK(bytes_text(4096, Base::si) == "4096B");
}

TEST_CASE("format: latencies have three figures and the unit that fits", "[report]") {
  CHECK(latency_text(0) == "0 ns");
  CHECK(latency_text(110) == "110 ns");
  CHECK(latency_text(999.4) == "999 ns");
  CHECK(latency_text(999.6) == "1.00 us");
  CHECK(latency_text(12'345) == "12.3 us");
  CHECK(latency_text(99'960) == "100 us");
  CHECK(latency_text(999'600) == "1.00 ms");
  CHECK(latency_text(1'420'000) == "1.42 ms");
  CHECK(latency_text(61e9) == "61.0 s");
}

TEST_CASE("format: lengths of time are read at a glance", "[report]") {
  CHECK(duration_text(0) == "0.00 s");
  CHECK(duration_text(0.21e9) == "0.21 s");
  CHECK(duration_text(12e9) == "12.0 s");
  CHECK(duration_text(59.96e9) == "1 min 00 s");
  CHECK(duration_text(200e9) == "3 min 20 s");
  CHECK(duration_text(7500e9) == "2 h 05 min");
}

TEST_CASE("format: counts are grouped and their noun agrees", "[report]") {
  CHECK(counted(0, "sample") == "0 samples");
  CHECK(counted(1, "sample") == "1 sample");
  CHECK(counted(999, "sample") == "999 samples");
  CHECK(counted(65'536, "sample") == "65,536 samples");
  CHECK(counted(std::numeric_limits<std::uint64_t>::max(), "read") ==
        "18,446,744,073,709,551,615 reads");
}

TEST_CASE("format: percentages lose no decimal and gain none", "[report]") {
  CHECK(percent_name(50) == "50");
  CHECK(percent_name(99.9) == "99.9");
  CHECK(percent_name(99.9999) == "99.9999");
}

TEST_CASE("format: control characters never reach the terminal", "[report]") {
  CHECK(printable("a\x1b[31mb\n") == "a?[31mb?");
  CHECK(printable("\xc2\x9b"
                  "31m") == "??31m");
  CHECK(printable("gr\xc3\xbc\xc3\x9f") == "gr\xc3\xbc\xc3\x9f");
}

TEST_CASE("format: wrapped breaks at spaces only and keeps glued words together", "[report]") {
  CHECK(wrapped("n: ", "one two three", 3, 11) == "n: one two\n   three\n");
  CHECK(wrapped("n: ", "a_word_that_is_too_wide b", 3, 11) == "n: a_word_that_is_too_wide\n   b\n");
  CHECK(wrapped("n: ", "granule " + glued("10 ns"), 3, 14) == "n: granule\n   10 ns\n");
  CHECK(wrapped("n: ", "", 3, 11) == "n:\n");
  CHECK(wrapped("n: ", "  two  spaces ", 3, 40) == "n: two spaces\n");
}

TEST_CASE("format: width counts characters, not bytes", "[report]") {
  CHECK(columns("\xc2\xb5s") == 2);
  CHECK(wrapped("", "\xc3\xbc\xc3\xbc\xc3\xbc \xc3\xbc\xc3\xbc\xc3\xbc", 0, 7) ==
        "\xc3\xbc\xc3\xbc\xc3\xbc \xc3\xbc\xc3\xbc\xc3\xbc\n");
}

TEST_CASE("format: our own lines stay within 40 and 80 columns", "[report]") {
  Terminal terminal;
  for (const int width : {0, 39, 64, 200}) {
    terminal.width = width;
    CHECK(text_width(terminal) == (width < 40 ? 40 : std::min(width, 80)));
  }
}

TEST_CASE("format: colour only where the terminal has it, and never across a line's end",
          "[report]") {
  Terminal terminal;
  CHECK(inked("bad\n", Ink::alarm, terminal) == "bad\n");
  terminal.color = true;
  CHECK(inked("bad\n", Ink::alarm, terminal) == "\x1b[1;31mbad\x1b[0m\n");
}

TEST_CASE("format: a decimal comma in the locale changes nothing", "[report]") {
  const std::string before =
      scaled(12'345, 4, Base::si) + latency_text(12'345) + percent_name(99.9);
  const std::string old = std::setlocale(LC_ALL, nullptr);
  bool any = false;
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8"}) {
    if (std::setlocale(LC_ALL, name) == nullptr) continue;
    any = true;
    CHECK(scaled(12'345, 4, Base::si) + latency_text(12'345) + percent_name(99.9) == before);
  }
  std::setlocale(LC_ALL, old.c_str());
  CHECK(any);
}

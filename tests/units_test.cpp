// units_test.cpp: sizes, times and numbers from text, and back.
#include "jobs/units.hpp"

#include "tests/catch.hpp"

#include <array>
#include <clocale>
#include <limits>
#include <random>
#include <utility>

using namespace chronio::jobs;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();

}  // namespace

TEST_CASE("units: a size suffix is a power of 1024 in any spelling", "[jobs]") {
  const std::pair<const char*, std::uint64_t> cases[] = {
      {"0", 0},           {"1", 1},           {"2300", 2300},
      {"4096B", 4096},    {"8kb", 8192},      {"4k", 4096},
      {"4K", 4096},       {"1Mb", 1048576},   {"400mb", 419430400},
      {"1Gb", 1 << 30},   {"2g", 2ULL << 30}, {"3t", 3ULL << 40},
      {"1p", 1ULL << 50}, {"4Ki", 4096},      {"0x10", 16},
      {"0x10k", 16384},   {"0X1F", 31},       {"18446744073709551615", kLargest},
  };
  for (const auto& [text, bytes] : cases) {
    CAPTURE(text);
    const auto read = read_size(text);
    CHECK(read.error.empty());
    CHECK(read.warning.empty());
    CHECK(read.value == bytes);
  }
}

TEST_CASE("units: an IEC size warns once, with fio's number beside ours", "[jobs]") {
  const auto read = read_size("4KiB");
  CHECK(read.error.empty());
  CHECK(read.value == 4096);
  CHECK(read.warning == "4096 bytes; fio 3.x takes 4000");
  CHECK(read_size("1MiB").warning == "1048576 bytes; fio 3.x takes 1000000");
  CHECK(read_size("0KiB").warning.empty());
}

TEST_CASE("units: what is no whole size is refused at its place", "[jobs]") {
  struct Case {
    const char* text;
    const char* error;
    std::uint32_t at;
  };
  const Case cases[] = {
      {"", "a number is missing", 0},
      {"foo", "foo is not a number", 0},
      {"-4k", "can't be negative", 0},
      {"4x", "unknown suffix \"x\"; k, m, g, t, p or KiB, MiB, ... would be right", 1},
      {"12kbb", "unknown suffix \"kbb\"; k, m, g, t, p or KiB, MiB, ... would be right", 2},
      {"4 k", "unknown suffix \" k\"; k, m, g, t, p or KiB, MiB, ... would be right", 1},
      {"1e3", "unknown suffix \"e3\"; k, m, g, t, p or KiB, MiB, ... would be right", 1},
      {"4.5k", "a fraction is not a size; write 4608", 1},
      {"0.1k", "a fraction is not a size; a whole number would be right", 1},
      {"4.5x", "a fraction is not a size; a whole number would be right", 1},
      {"5z", "sizes in zones are not done yet", 1},
      {"5%", "a percentage is not allowed here", 1},
      {"(2*2048)", "arithmetic is not done yet; write the number itself", 0},
      {"2*2048", "arithmetic is not done yet; write the number itself", 1},
      {"18446744073709551616", "too large; at most 2^64 - 1 bytes", 0},
      {"16777216t", "too large; at most 2^64 - 1 bytes", 0},
      {"0x", "unknown suffix \"x\"; k, m, g, t, p or KiB, MiB, ... would be right", 1},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    const auto read = read_size(c.text);
    CHECK(read.error == c.error);
    CHECK(read.at == c.at);
  }
}

TEST_CASE("units: an amount is a size or a whole percentage up to 100", "[jobs]") {
  CHECK(read_amount("40%").value == Amount{0, 40});
  CHECK(read_amount("100%").value == Amount{0, 100});
  CHECK(read_amount("4k").value == Amount{4096, 0});
  CHECK(read_amount("101%").error == "must be at most 100%");
  CHECK(read_amount("0.5%").error == "a whole number would be right");
  CHECK(read_amount("%").error == "a number is missing");
  CHECK_FALSE(read_amount("1MiB").warning.empty());
}

TEST_CASE("units: a time has a unit or the option's own", "[jobs]") {
  const std::pair<const char*, std::uint64_t> cases[] = {
      {"10", 10 * kSecond},      {"2s", 2 * kSecond},      {"5m", 300 * kSecond},
      {"500m", 30000 * kSecond}, {"1h", 3600 * kSecond},   {"1d", 86400 * kSecond},
      {"250ms", 250'000'000},    {"250msec", 250'000'000}, {"7us", 7000},
      {"7usec", 7000},           {"10S", 10 * kSecond},    {"0", 0},
  };
  for (const auto& [text, ns] : cases) {
    CAPTURE(text);
    const auto read = read_time(text, kSecond);
    CHECK(read.error.empty());
    CHECK(read.warning.empty());
    CHECK(read.value == ns);
  }
  CHECK(read_time("10", 1000).value == 10'000);
}

TEST_CASE("units: a time that fio reads otherwise is exact and warns with both", "[jobs]") {
  struct Case {
    const char* text;
    std::uint64_t ns;
    const char* warning;
  };
  const Case cases[] = {
      {"0.5", 500'000'000, "500ms; fio takes 0s"},
      {"1.5s", 1'500'000'000, "1500ms; fio takes 1s"},
      {"0.125m", 7'500'000'000, "7500ms; fio takes 0s"},
      {"2sec", 2 * kSecond, "2s; fio takes 2us"},
      {"2min", 120 * kSecond, "120s; fio takes 2us"},
      {"9ns", 9, "9ns; fio takes 9us"},
      {"0.000000001", 1, "1ns; fio takes 0s"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    const auto read = read_time(c.text, kSecond);
    CHECK(read.error.empty());
    CHECK(read.value == c.ns);
    CHECK(read.warning == c.warning);
  }
  CHECK(read_time("2.000", kSecond).warning.empty());
}

TEST_CASE("units: what is no time is refused at its place", "[jobs]") {
  CHECK(read_time("0.5ns", kSecond).error == "finer than a nanosecond");
  CHECK(read_time("0.0000000001", kSecond).error == "finer than a nanosecond");
  CHECK(read_time("1.s", kSecond).error == "digits are missing behind the point");
  CHECK(read_time("1-2", kSecond).error == "a range of times is not done yet");
  CHECK(read_time("4*2", kSecond).error == "arithmetic is not done yet; write the number itself");
  CHECK(read_time("10q", kSecond).error ==
        "unknown unit \"q\"; d, h, m, s, ms or us would be right");
  CHECK(read_time("10q", kSecond).at == 2);
  CHECK(read_time("soon", kSecond).error == "soon is not a number");
  CHECK(read_time("", kSecond).error == "a number is missing");
  CHECK(read_time("999999999999d", kSecond).error == "too large; at most 584 years");
  CHECK(read_time("18446744073709551616", 1).error == "too large; at most 584 years");
}

TEST_CASE("units: a plain number takes no suffix and says what it would be", "[jobs]") {
  CHECK(read_number("64").value == 64);
  CHECK(read_number("0x40").value == 64);
  CHECK(read_number("1k").error == "a suffix is not allowed here; write 1024");
  CHECK(read_number("1.5").error == "a whole number would be right");
  CHECK(read_number("1!").error == "\"!\" behind the number");
  CHECK(read_number("/data").error == "/data is not a number");
  CHECK(read_number("99999999999999999999").error == "too large");
}

TEST_CASE("units: a decimal has a point and nothing else, in every locale", "[jobs]") {
  // Skips silently nothing: without the locale, the default one is tested twice.
  for (const char* locale : {"C", "de_DE.UTF-8"}) {
    std::setlocale(LC_ALL, locale);
    CHECK(read_decimal("99.9").value == 99.9);
    CHECK(read_decimal("99,9").error == "\",9\" behind the number");
    CHECK(read_time("0.5", kSecond).value == 500'000'000);
    CHECK(spell_time(1'500'000'000, 0) == "1500ms");
  }
  std::setlocale(LC_ALL, "C");
  CHECK(read_decimal("1e3").error == "\"e3\" behind the number");
  CHECK(read_decimal("nan").error == "nan is not a number");
  CHECK(read_decimal("-1").error == "can't be negative");
}

TEST_CASE("units: sizes and times read back from their own spelling", "[jobs]") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t value = random() >> (random() % 64);
    CHECK(read_size(spell_size(value)).value == value);
    CHECK(read_time(spell_time(value, kSecond), kSecond).value == value);
    CHECK(read_time(spell_time(value, 0), kSecond).value == value);
  }
  CHECK(spell_size(4096) == "4k");
  CHECK(spell_size(5000) == "5000");
  CHECK(spell_size(0) == "0");
  CHECK(spell_amount({0, 40}) == "40%");
  CHECK(spell_time(5 * kSecond, kSecond) == "5");
}

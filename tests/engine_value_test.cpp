// engine_value_test.cpp: an ioengine's options by plain rules.
#include "jobs/engine_value.hpp"

#include "tests/catch.hpp"
#include "tests/jobs_text.hpp"

using namespace chronio::jobs;

namespace {

const char* const kChoices[] = {"low", "high", nullptr};

constexpr ValueRule kFlag = {ValueType::flag, ValueUnit::none, 0, 1, nullptr};
constexpr ValueRule kText = {ValueType::text, ValueUnit::none, 0, 0, nullptr};
constexpr ValueRule kChoice = {ValueType::choice, ValueUnit::none, 0, 0, kChoices};

constexpr ValueRule number(ValueUnit unit, std::int64_t minimum, std::int64_t maximum) {
  return {ValueType::number, unit, minimum, maximum, nullptr};
}

}  // namespace

TEST_CASE("engine value: a flag may stand alone or be 0 or 1", "[jobs]") {
  CHECK(read_value(kFlag, std::nullopt).value == 1);
  CHECK(read_value(kFlag, "0").value == 0);
  CHECK(read_value(kFlag, "1").value == 1);
  CHECK(read_value(kFlag, "yes").error == "must be 0 or 1");
  CHECK(read_value(kFlag, "").error == "the value is missing");
}

TEST_CASE("engine value: a number is in its unit and range", "[jobs]") {
  CHECK(read_value(number(ValueUnit::bytes, 0, 1 << 20), "64k").value == 65536);
  CHECK(read_value(number(ValueUnit::nanoseconds, 0, 1 << 20), "2us").value == 2000);
  CHECK(read_value(number(ValueUnit::nanoseconds, 0, 1 << 20), "2").value == 2);
  CHECK(read_value(number(ValueUnit::percent, 0, 100), "40%").value == 40);
  CHECK(read_value(number(ValueUnit::none, -1, 3), "-1").value == -1);
  CHECK(read_value(number(ValueUnit::none, -1, 3), "-2").error == "must be at least -1");
  CHECK(read_value(number(ValueUnit::none, 0, 3), "-1").error == "can't be negative");
  CHECK(read_value(number(ValueUnit::none, 0, 3), "4").error == "must be at most 3");
  CHECK(read_value(number(ValueUnit::none, 0, 3), "1k").error ==
        "a suffix is not allowed here; write 1024");
  CHECK(read_value(number(ValueUnit::none, -1, INT64_MAX), "9223372036854775808").error ==
        "too large");
  CHECK(read_value(number(ValueUnit::none, 0, 3), std::nullopt).error == "needs a value");
  CHECK_FALSE(read_value(number(ValueUnit::bytes, 0, 1 << 20), "4KiB").warning.empty());
}

TEST_CASE("engine value: a choice is its index, a text anything", "[jobs]") {
  CHECK(read_value(kChoice, "high").value == 1);
  CHECK(read_value(kChoice, "mid").error == "mid is none of low, high");
  CHECK(read_value(kText, "any thing").error.empty());
  CHECK(read_value(kText, std::nullopt).error == "needs a value");
}

TEST_CASE("engine value: a setting's mistake has its place", "[jobs]") {
  const Outcome outcome = read_lines("sq_idle=4x\n");
  std::optional<Diagnostic> diagnostic;
  CHECK_FALSE(
      read_setting(number(ValueUnit::none, 0, 9), outcome.jobs.at(0).unknown.at(0), diagnostic));
  REQUIRE(diagnostic);
  CHECK(format(*diagnostic) ==
        "t.fio:2: error: sq_idle=4x: \"x\" behind the number\n    sq_idle=4x\n             ^\n");
  diagnostic.reset();
  CHECK(read_setting(kFlag, argument("hipri", "1"), diagnostic) == 1);
  CHECK_FALSE(diagnostic);
}

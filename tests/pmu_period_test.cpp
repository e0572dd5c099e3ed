// pmu_period_test.cpp: how long a window is, and when it has to be longer.
#include "pmu/period.hpp"
#include "tests/catch.hpp"

namespace {

using namespace chronio::pmu;

}  // namespace

TEST_CASE("period: about 1,000 windows per CPU-second", "[pmu]") {
  CHECK(calibrated_period({.trigger_per_cpu_s = 3e9}, 4, kFastTrigger) == 3'000'000);
}

TEST_CASE("period: short work still gets 100 windows per group", "[pmu]") {
  CHECK(calibrated_period({.trigger_per_cpu_s = 3e9, .expected_trigger = 4e7}, 4, kFastTrigger) ==
        100'000);
}

TEST_CASE("period: no window is shorter than 20,000 or longer than 50 million", "[pmu]") {
  CHECK(calibrated_period({.trigger_per_cpu_s = 3e9, .expected_trigger = 1e6}, 4, kFastTrigger) ==
        20'000);
  CHECK(calibrated_period({.trigger_per_cpu_s = 1e3}, 4, kFastTrigger) == 20'000);
  CHECK(calibrated_period({.trigger_per_cpu_s = 1e12}, 4, kFastTrigger) == 50'000'000);
}

TEST_CASE("period: what was not measured gets the default", "[pmu]") {
  CHECK(calibrated_period({}, 4, kFastTrigger) == kFastTrigger.fallback);
  CHECK(calibrated_period({}, 4, kRareTrigger) == kRareTrigger.fallback);
}

TEST_CASE("period: a rare trigger may have windows of few events", "[pmu]") {
  CHECK(calibrated_period({.trigger_per_cpu_s = 1e5}, 4, kRareTrigger) == 100);
}

TEST_CASE("period: a switch that costs more than the budget asks for longer windows", "[pmu]") {
  BudgetGuard guard(0.01);
  int asked = 0;
  for (int i = 0; i < 320; ++i) asked += guard.over(20'000, 1'000'000) ? 1 : 0;
  CHECK(asked == 10);  // once every 32 windows
  CHECK(guard.stretched() == 10);
}

TEST_CASE("period: a switch within the budget changes nothing", "[pmu]") {
  BudgetGuard guard(0.01);
  for (int i = 0; i < 320; ++i) CHECK_FALSE(guard.over(9'000, 1'000'000));
  CHECK(guard.stretched() == 0);
}

TEST_CASE("period: the budget is a share of all time, that of the switches included", "[pmu]") {
  const auto longer = [](std::uint64_t cost_ns, std::uint64_t window_ns) {
    BudgetGuard guard(0.5);
    bool over = false;
    for (int i = 0; i < 32; ++i) over = guard.over(cost_ns, window_ns);
    return over;
  };
  CHECK_FALSE(longer(1000, 1000));  // half of it, and no more
  CHECK(longer(1001, 1000));
}

TEST_CASE("period: after a verdict nothing of the windows before it counts", "[pmu]") {
  BudgetGuard guard(0.01);
  for (int i = 0; i < 32; ++i) static_cast<void>(guard.over(1'000'000, 1'000'000));
  REQUIRE(guard.stretched() == 1);
  for (int i = 0; i < 32; ++i) CHECK_FALSE(guard.over(9'000, 1'000'000));
  for (int i = 0; i < 32; ++i) static_cast<void>(guard.over(9'000, 1'000'000'000));
  for (int i = 0; i < 32; ++i) static_cast<void>(guard.over(20'000, 1'000'000));
  CHECK(guard.stretched() == 2);
}

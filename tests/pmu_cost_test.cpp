// pmu_cost_test.cpp: percentiles of the overflow handler's time.
#include "pmu/handler_cost.hpp"
#include "tests/catch.hpp"

namespace {

using namespace chronio::pmu;

}  // namespace

TEST_CASE("handler cost: without calls there is no percentile", "[pmu]") {
  CHECK_FALSE(HandlerCost().percentile(50).has_value());
}

TEST_CASE("handler cost: a percentile is at most an eighth above the true one", "[pmu]") {
  for (std::uint64_t ns = 1; ns < 1'000'000'000; ns = ns * 5 / 4 + 1) {
    HandlerCost cost;
    cost.add(ns);
    INFO(ns);
    CHECK(*cost.percentile(50) >= ns);
    CHECK(static_cast<double>(*cost.percentile(50)) <= static_cast<double>(ns) * 1.125);
  }
}

TEST_CASE("handler cost: percentiles are told apart, and the total is exact", "[pmu]") {
  HandlerCost cost;
  for (int i = 0; i < 98; ++i) cost.add(1000);
  for (int i = 0; i < 2; ++i) cost.add(50'000);
  CHECK(*cost.percentile(50) < 1130);
  CHECK(*cost.percentile(99) >= 50'000);
  CHECK(cost.total_ns() == 98 * 1000 + 2 * 50'000);
}

TEST_CASE("handler cost: no time is too long to be kept", "[pmu]") {
  HandlerCost cost;
  cost.add(~std::uint64_t{0});
  CHECK(cost.percentile(100).has_value());
}

// deadline_test.cpp: the end of a timed wait.
#include "engines/deadline.hpp"

#include "tests/catch.hpp"

#include <cstdint>
#include <limits>

using chronio::Deadline;

TEST_CASE("deadline: below 0 there is no limit", "[engines]") {
  for (const std::int64_t none : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::min()}) {
    const Deadline deadline(none);
    CHECK_FALSE(deadline.limited());
    CHECK_FALSE(deadline.passed());
  }
}

TEST_CASE("deadline: 0 has passed at once", "[engines]") {
  const Deadline deadline(0);
  CHECK(deadline.limited());
  CHECK(deadline.passed());
  CHECK(deadline.left_ns() == 0);
}

TEST_CASE("deadline: what is left shrinks and never exceeds the limit", "[engines]") {
  constexpr std::int64_t kHour = 3'600'000'000'000;
  const Deadline deadline(kHour);
  CHECK_FALSE(deadline.passed());
  const std::int64_t first = deadline.left_ns();
  const std::int64_t second = deadline.left_ns();
  CHECK(first <= kHour);
  CHECK(second <= first);
  CHECK(second > kHour / 2);  // this test takes no half hour
}

TEST_CASE("deadline: a limit beyond the clock's range does not overflow", "[engines]") {
  const Deadline deadline(std::numeric_limits<std::int64_t>::max());
  CHECK(deadline.limited());
  CHECK_FALSE(deadline.passed());
}

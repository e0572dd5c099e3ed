// pmu_presence_test.cpp: when what no window saw is too much, and a group that lost its counters.
#include "pmu/presence.hpp"
#include "pmu/rotator.hpp"
#include "tests/catch.hpp"
#include "tests/pmu_fake.hpp"

using namespace chronio::pmu;
using namespace chronio::tests;

TEST_CASE("presence: what windows and the handler leave of the time on a CPU is unseen", "[pmu]") {
  CHECK(Presence{1000, 600, 150}.unseen() == Approx(0.25));
  CHECK(Presence{1000, 1000, 0}.unseen() == 0);
  CHECK(Presence{1000, 900, 200}.unseen() == 0);  // a handler's time is a little above the truth
}

TEST_CASE("presence: without a measure of the time, nothing is held to be missing", "[pmu]") {
  CHECK(Presence{0, 600, 0}.unseen() == 0);
  CHECK_FALSE(Presence{0, 600, 0}.falls_short());
}

TEST_CASE("presence: one twentieth may be unseen, and more where it is less than a millisecond",
          "[pmu]") {
  CHECK_FALSE(Presence{1'000'000'000, 950'000'000, 0}.falls_short());
  CHECK(Presence{1'000'000'000, 949'000'000, 0}.falls_short());
  CHECK_FALSE(Presence{1'000'000'000, 900'000'000, 60'000'000}.falls_short());
  CHECK_FALSE(Presence{1'500'000, 600'000, 0}.falls_short());
  CHECK(Presence{1'500'000, 400'000, 0}.falls_short());
}

namespace {

/// Counts for a while, then finds no counters for any group, as when somebody else pins them.
struct Starving {
  bool starves = false;
  std::uint64_t on_cpu_ns = 0;
  void arm(std::size_t /*group*/, std::uint64_t /*period*/) noexcept {}
  Window harvest(std::size_t /*group*/) noexcept {
    on_cpu_ns += 1'000'000;
    if (starves) return {.trigger = 0, .enabled_ns = 1, .running_ns = 0, .value = {}};
    return {.trigger = 1000, .enabled_ns = 1'000'000, .running_ns = 1'000'000, .value = {7}};
  }
  template <class Rotator>
  [[nodiscard]] Presence presence(const Rotator& rotator) const {
    return {on_cpu_ns, rotator.totals().counted_ns, 0};
  }
};

template <class Rotator>
void overflow(Rotator& rotator, int times) {
  for (int i = 0; i < times; ++i) rotator.on_overflow();
}

}  // namespace

TEST_CASE("presence: a part of the run without counters is missing, at its end and before",
          "[pmu]") {
  Starving pmu;
  Rotator rotator(pmu, rotation_of(2, 1, 1000));
  rotator.begin();
  overflow(rotator, 60);
  pmu.starves = true;
  overflow(rotator, 40);  // turns that are given up
  CHECK(pmu.presence(rotator).unseen() == Approx(0.4));
  CHECK(pmu.presence(rotator).falls_short());
  pmu.starves = false;
  overflow(rotator, 99);
  rotator.finish();
  CHECK(pmu.presence(rotator).unseen() == Approx(0.2));
  CHECK(pmu.presence(rotator).falls_short());
  CHECK(rotator.totals().dropped == 40);
}

TEST_CASE("presence: turns that are given up leave each group its next one", "[pmu]") {
  Starving pmu;
  Rotator rotator(pmu, rotation_of(2, 1, 1000));
  rotator.begin();
  pmu.starves = true;
  overflow(rotator, 3);
  pmu.starves = false;
  overflow(rotator, 10);
  CHECK(rotator.series(0, 0).sums().windows == 5);
  CHECK(rotator.series(1, 0).sums().windows == 5);
}

TEST_CASE("presence: a dropped window of counters that shared their time is unseen", "[pmu]") {
  struct Shared {
    void arm(std::size_t /*group*/, std::uint64_t /*period*/) noexcept {}
    Window harvest(std::size_t /*group*/) noexcept {
      return {.trigger = 10, .enabled_ns = 100, .running_ns = 40, .value = {7}};
    }
  } pmu;
  Rotator rotator(pmu, rotation_of(1, 1, 10));
  rotator.begin();
  rotator.on_overflow();
  rotator.finish();
  CHECK(rotator.totals().counted_ns == 0);
  CHECK(rotator.totals().ns == 200);
}

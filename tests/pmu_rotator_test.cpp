// pmu_rotator_test.cpp: switching groups on overflow, on a PMU that is not there.
#include "pmu/rotator.hpp"
#include "tests/catch.hpp"
#include "tests/pmu_fake.hpp"

#include <set>

namespace {

using namespace chronio::pmu;
using namespace chronio::tests;

Segment busy(double ns, double trigger, double event) {
  Segment segment;
  segment.ns = ns;
  segment.trigger = trigger;
  segment.events[0] = event;
  return segment;
}

Segment asleep(double ns) {
  Segment segment;
  segment.ns = ns;
  segment.on_cpu = false;
  return segment;
}

/// Three ticks of 4 ms, with 1000, 2000 and 1000 events per ms, as the patent draws them.
Workload patents_figure() {
  return segments({busy(4e6, 1e-3, 1e-3), busy(4e6, 2e-3, 2e-3), busy(4e6, 1e-3, 1e-3)});
}

/// Events per ms of CPU time that a group saw.
template <class R>
double rate_per_ms(const R& rotator, std::size_t group) {
  const Sums& sums = rotator.series(group, 0).sums();
  return static_cast<double>(sums.counted) * 1e6 / static_cast<double>(sums.ns);
}

/// Records what it is asked for.
struct Recording {
  std::vector<std::size_t> groups;
  std::vector<std::uint64_t> periods;
  void arm(std::size_t group, std::uint64_t period) noexcept {
    groups.push_back(group);
    periods.push_back(period);
  }
  Window harvest(std::size_t /*group*/) noexcept {
    return {.trigger = 1, .enabled_ns = 1, .running_ns = 1};
  }
};

Recording recorded(const Rotation& rotation, int overflows) {
  Recording recording;
  Rotator rotator(recording, rotation);
  rotator.begin();
  for (int i = 0; i < overflows; ++i) rotator.on_overflow();
  return recording;
}

}  // namespace

TEST_CASE("rotator: a tick sees 1000 and 2000 events per ms where there were 1333.3", "[pmu]") {
  FakePmu pmu;
  Rotator rotator(pmu, rotation_of(2, 1, std::uint64_t{1} << 60));
  pmu.run(patents_figure(), rotator, 4e6);
  CHECK(rate_per_ms(rotator, 0) == Approx(1000.0).epsilon(1e-12));
  CHECK(rate_per_ms(rotator, 1) == Approx(2000.0).epsilon(1e-12));
}

TEST_CASE("rotator: switched every 4000 events, both batches see 1333.3 per ms", "[pmu]") {
  FakePmu pmu;
  Rotator rotator(pmu, rotation_of(2, 1, 4000));
  pmu.run(patents_figure(), rotator);
  for (const std::size_t group : {0U, 1U}) {
    CHECK(rotator.series(group, 0).sums().counted == 8000);
    CHECK(rotator.series(group, 0).sums().ns == 6'000'000);
    CHECK(rate_per_ms(rotator, group) == Approx(4000.0 / 3).epsilon(1e-12));
    CHECK(rotator.estimate(group, 0).total == Approx(16'000).epsilon(1e-12));
  }
  CHECK(pmu.protocol_errors == 0);
}

TEST_CASE("rotator: sleep makes no window and no bias", "[pmu]") {
  std::vector<Segment> list;
  for (int i = 0; i < 4000; ++i) {
    list.push_back(busy(10e3, 2, 0.02));
    list.push_back(asleep(90e3));
  }
  FakePmu pmu;
  Rotator rotator(pmu, rotation_of(4, 1, 100'000));
  pmu.run(segments(list), rotator);
  CHECK(rotator.totals().windows >= 799);  // 80,000,000 trigger events, and the window at the end
  CHECK(rotator.totals().windows <= 801);
  for (std::size_t group = 0; group < 4; ++group)
    CHECK(rotator.estimate(group, 0).total == Approx(800'000).epsilon(1e-3));
}

TEST_CASE("rotator: windows of all groups add up to the trigger's total, skid included", "[pmu]") {
  Random random(5);
  std::vector<Segment> list;
  for (int i = 0; i < 500; ++i)
    list.push_back(busy(1e4 + random.unit() * 1e5, 0.5 + 3 * random.unit(), 0.01));
  FakePmu pmu(37);
  Rotation rotation = rotation_of(3, 2, 5000, Order::shuffled);
  rotation.jitter = 0.5;
  Rotator rotator(pmu, rotation);
  pmu.run(segments(list), rotator);
  std::uint64_t sum = 0;
  for (std::size_t group = 0; group < 3; ++group) sum += rotator.series(group, 0).sums().trigger;
  CHECK(sum == rotator.totals().trigger);
  CHECK(static_cast<double>(sum) == Approx(pmu.trigger()).margin(1));
}

TEST_CASE("rotator: an overflow after the end is counted as spurious and does nothing", "[pmu]") {
  FakePmu pmu;
  Rotator rotator(pmu, rotation_of(2, 1, 1000));
  pmu.run(segments({busy(1e6, 1, 0.1)}), rotator);
  const RotationTotals before = rotator.totals();
  CHECK_FALSE(rotator.on_overflow());
  CHECK_FALSE(rotator.finish());
  CHECK(rotator.totals().spurious == before.spurious + 1);
  CHECK(rotator.totals().windows == before.windows);
  CHECK(pmu.protocol_errors == 0);
}

TEST_CASE("rotator: it tells of each window, the last one too, that it was taken", "[pmu]") {
  Recording recording;
  Rotator rotator(recording, rotation_of(2, 1, 1000));
  CHECK_FALSE(rotator.finish());  // before the beginning
  rotator.begin();
  for (int i = 0; i < 5; ++i) CHECK(rotator.on_overflow());
  CHECK(rotator.finish());
  CHECK(rotator.totals().windows == 6);
}

TEST_CASE("rotator: shuffled order has each group once in every round", "[pmu]") {
  Rotation rotation = rotation_of(5, 1, 1000, Order::shuffled);
  const Recording recording = recorded(rotation, 99);
  std::set<std::vector<std::size_t>> rounds;
  for (std::size_t from = 0; from < 100; from += 5) {
    const auto begin = recording.groups.begin() + static_cast<std::ptrdiff_t>(from);
    CHECK(std::set<std::size_t>(begin, begin + 5).size() == 5);
    rounds.emplace(begin, begin + 5);
  }
  CHECK(rounds.size() > 10);  // of 120 orders, 20 times by chance
}

TEST_CASE("rotator: preset order is always the same round", "[pmu]") {
  const Recording recording = recorded(rotation_of(5, 1, 1000), 20);
  for (std::size_t i = 0; i < recording.groups.size(); ++i) {
    CHECK(recording.groups[i] == i % 5);
    CHECK(recording.periods[i] == 1000);
  }
}

TEST_CASE("rotator: the same seed gives the same sequence, another seed another", "[pmu]") {
  Rotation rotation = rotation_of(5, 1, 1000, Order::shuffled);
  rotation.jitter = 0.5;
  const Recording first = recorded(rotation, 99);
  const Recording again = recorded(rotation, 99);
  CHECK(first.groups == again.groups);
  CHECK(first.periods == again.periods);
  rotation.seed = 2;
  CHECK(recorded(rotation, 99).groups != first.groups);
}

TEST_CASE("rotator: jitter keeps periods within its share", "[pmu]") {
  Rotation rotation = rotation_of(2, 1, 1000);
  rotation.jitter = 0.5;
  const Recording recording = recorded(rotation, 999);
  for (const std::uint64_t period : recording.periods) {
    CHECK(period >= 500);
    CHECK(period <= 1500);
  }
  CHECK(std::set(recording.periods.begin(), recording.periods.end()).size() > 100);
}

TEST_CASE("rotator: a window without its counters is dropped and told", "[pmu]") {
  struct Robbed {
    int windows = 0;
    void arm(std::size_t /*group*/, std::uint64_t /*period*/) noexcept {}
    Window harvest(std::size_t /*group*/) noexcept {
      const std::uint64_t running = ++windows % 2 == 0 ? 40 : 100;
      return {.trigger = 10, .enabled_ns = 100, .running_ns = running, .value = {7}};
    }
  } robbed;
  Rotator rotator(robbed, rotation_of(1, 1, 10));
  rotator.begin();
  for (int i = 0; i < 9; ++i) rotator.on_overflow();
  rotator.finish();
  CHECK(rotator.totals().dropped == 5);
  CHECK(rotator.series(0, 0).sums().counted == 35);
  CHECK(rotator.estimate(0, 0).coverage == Approx(0.5));
}

TEST_CASE("rotator: by time, an estimate is in proportion to CPU time", "[pmu]") {
  FakePmu pmu;
  Rotation rotation = rotation_of(2, 1, 4000);
  rotation.estimator = Estimator::time;
  Rotator rotator(pmu, rotation);
  pmu.run(patents_figure(), rotator);
  CHECK(rotator.estimate(0, 0).total == Approx(16'000).epsilon(1e-12));
}

TEST_CASE("rotator: one group counts all, exactly", "[pmu]") {
  FakePmu pmu;
  Rotator rotator(pmu, rotation_of(1, 1, 1000));
  pmu.run(segments({busy(1e6, 1, 0.25), busy(1e6, 2, 0.75)}), rotator);
  const Estimate estimate = rotator.estimate(0, 0);
  CHECK(estimate.total == 1e6);
  CHECK(estimate.coverage == 1);
  CHECK(estimate.half95 == 0);
}

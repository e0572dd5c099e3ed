// clock_sequence_test.cpp: what readings in a certain order prove, and how records are joined.
#include "clock/affinity.hpp"
#include "clock/certify.hpp"
#include "clock/machine.hpp"
#include "clock/probe_cpus.hpp"
#include "clock/sequence.hpp"
#include "tests/catch.hpp"

namespace {

using namespace chronio::clock;

ProbeRecord record_of(const std::vector<OrderedReading>& readings, std::size_t cpus,
                      Wanted wanted = Wanted::all_pairs) {
  ProbeRecord record;
  for (std::size_t cpu = 0; cpu < cpus; ++cpu) record.cpus.push_back(10 + static_cast<int>(cpu));
  add_sequence(readings, 1, 64, wanted, record);
  return record;
}

}  // namespace

TEST_CASE("sequence: each change of CPU bounds the offset from one side", "[clock]") {
  // 0 -> 1 in 30 ticks, back in 50: the second is ahead by no more than 30 and behind by no more
  // than 50, with a tick of the granule on each side.
  const ProbeRecord record = record_of({{0, 100}, {1, 130}, {0, 180}}, 2);
  REQUIRE(record.pairs.size() == 1);
  CHECK(record.pairs[0].bounds == Bounds{-51, 31});
  CHECK(record.pairs[0].interleavings == 1);
  CHECK(record.order.inversions == 0);
}

TEST_CASE("sequence: the narrowest change counts, in both directions", "[clock]") {
  const ProbeRecord record =
      record_of({{0, 100}, {1, 190}, {0, 300}, {1, 320}, {0, 345}, {0, 900}, {1, 1000}}, 2);
  CHECK(record.pairs.at(0).bounds == Bounds{-26, 21});
  CHECK(record.pairs.at(0).interleavings == 2);
}

TEST_CASE("sequence: a reading that is lower than an earlier one is an inversion", "[clock]") {
  const ProbeRecord record = record_of({{0, 100}, {1, 70}, {0, 120}, {0, 119}}, 2);
  CHECK(record.order.inversions == 2);
  CHECK(record.order.largest_ticks == 30);
  CHECK(record.unsteady == std::vector<int>{10});  // its own reading fell, too
}

TEST_CASE("sequence: a loop goes through all CPUs and ends where it began", "[clock]") {
  CHECK(record_of({{0, 1}, {1, 2}, {2, 3}, {0, 4}}, 3).order.loops == 1);
  CHECK(record_of({{0, 1}, {1, 2}, {0, 3}, {2, 4}, {0, 5}}, 3).order.loops == 1);
  CHECK(record_of({{0, 1}, {1, 2}, {0, 3}, {1, 4}, {0, 5}}, 3).order.loops == 0);
  CHECK(record_of({{0, 1}, {1, 2}, {2, 3}}, 3).order.loops == 0);
  CHECK(record_of({{0, 1}, {2, 2}, {1, 3}, {0, 4}, {1, 5}, {2, 6}, {0, 7}}, 3).order.loops == 2);
  CHECK(record_of({}, 3).order.loops == 0);
}

TEST_CASE("sequence: pairs that were never seen are in the record where they were wanted",
          "[clock]") {
  const std::vector<OrderedReading> readings = {{0, 1}, {1, 2}, {0, 3}};
  CHECK(record_of(readings, 4, Wanted::all_pairs).pairs.size() == 6);
  CHECK(record_of(readings, 4, Wanted::pairs_with_first).pairs.size() == 3);
  CHECK(judge(record_of(readings, 4)).pairs_insufficient == 5);
}

TEST_CASE(
    "sequence: rounds through any number of CPUs lack no pair, where pairs with the first count",
    "[clock]") {
  for (std::uint32_t cpus = 2; cpus <= 9; ++cpus) {
    CAPTURE(cpus);
    std::vector<OrderedReading> readings;
    std::uint64_t ticks = 0;
    const auto read_on = [&](std::uint32_t seat) { readings.push_back({seat, ticks += 10}); };
    for (std::uint32_t other = 1; other < cpus; ++other)
      for (int round = 0; round < 3; ++round) {
        read_on(0);
        read_on(other);
      }
    for (int round = 0; round < 3; ++round)
      for (std::uint32_t seat = 0; seat < cpus; ++seat) read_on(seat);
    read_on(0);
    const OffsetVerdict verdict = judge(record_of(readings, cpus, Wanted::pairs_with_first));
    CHECK(verdict.pairs_insufficient == 0);
    CHECK(verdict.pairs_checked == cpus - 1);
    CHECK(verdict.bound_ticks == (cpus == 2 ? 11 : 22));  // by way of the first, mostly
  }
}

TEST_CASE("sequence: a pair that was not wanted counts once it was seen in both directions",
          "[clock]") {
  const std::vector<OrderedReading> there = {{0, 10}, {1, 20}, {2, 30}, {0, 40}};
  std::vector<OrderedReading> and_back = there;
  for (const OrderedReading reading : {OrderedReading{2, 50}, OrderedReading{1, 60}})
    and_back.push_back(reading);
  CHECK(record_of(there, 3, Wanted::pairs_with_first).pairs.size() == 2);
  CHECK(record_of(there, 3, Wanted::all_pairs).pairs.size() == 3);
  CHECK(record_of(and_back, 3, Wanted::pairs_with_first).pairs.size() == 3);
}

TEST_CASE("record: a later attempt narrows bounds and adds meetings", "[clock]") {
  ProbeRecord record;
  record.cpus = {3, 5, 8};
  record.quality = 2;
  record.pairs = {{0, 1, {-50, 60}, 5}, {1, 2, {-70, 90}, 1}};
  record.order = {.loops = 4, .inversions = 0, .largest_ticks = 0};
  ProbeRecord more;
  more.cpus = {5, 8};
  more.pairs = {{0, 1, {-80, 40}, 3}};
  more.order = {.loops = 9, .inversions = 1, .largest_ticks = 7};
  more.unsteady = {8};
  merge(record, more);
  REQUIRE(record.pairs.size() == 2);
  CHECK(record.pairs[1].bounds == Bounds{-70, 40});
  CHECK(record.pairs[1].interleavings == 4);
  CHECK(record.order.loops == 4);  // two of three CPUs are no loop through all
  CHECK(record.order.inversions == 1);
  CHECK(record.unsteady == std::vector<int>{8});
  CHECK(judge(record).pairs_checked == 2);
}

TEST_CASE("drift: it is what the farthest ends of both bounds allow", "[clock]") {
  ProbeRecord start;
  start.cpus = {0, 1};
  start.pairs = {{0, 1, {-40, 50}, 1}};
  ProbeRecord end = start;
  end.pairs[0].bounds = {-30, 70};
  CHECK(largest_drift(judge(start), judge(end)) == 110);
  end.pairs[0].interleavings = 0;
  CHECK_FALSE(largest_drift(judge(start), judge(end)));
}

TEST_CASE("methods: the kernel's clock passes each of them on this machine", "[clock]") {
  const std::vector<int> allowed = allowed_cpus();
  for (const Method method : {Method::oneway, Method::hop, Method::cas}) {
    CAPTURE(name(method));
    const std::uint64_t before_ns = raw_ns();
    const ProbeRecord record = probe_cpus(allowed, {.method = method});
    CHECK(allowed_cpus() == allowed);
    CHECK(record.quality == least_quality(method));
    CHECK(record.taken.begin_ns >= before_ns);
    CHECK(record.taken.end_ns > record.taken.begin_ns);
    CHECK(record.taken.end_ns <= raw_ns());
    CHECK(record.order.inversions == 0);
    const OffsetVerdict verdict = judge(record);
    CHECK_FALSE(verdict.skew);
    CHECK_FALSE(verdict.contradiction);
    CHECK(verdict.unsteady.empty());
  }
}

TEST_CASE("methods: a quality that can't be reached is insufficient and ends with the budget",
          "[clock]") {
  const std::vector<int> allowed = allowed_cpus();
  const ProbeRecord record = probe_cpus(
      allowed,
      {.quality = 1'000'000'000, .pair_budget_ns = 2'000'000, .total_budget_ns = 10'000'000});
  if (allowed.size() > 1) CHECK_FALSE(judge(record).bound_ticks);
}

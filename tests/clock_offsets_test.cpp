// clock_offsets_test.cpp: closing the bounds between CPUs, and the order in which pairs meet.
#include "clock/affinity.hpp"
#include "clock/offsets.hpp"
#include "clock/probe_cpus.hpp"
#include "tests/catch.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <utility>

namespace {

using namespace chronio::clock;

ProbeRecord record_of(std::vector<int> cpus, std::vector<PairResult> pairs) {
  ProbeRecord record;
  record.cpus = std::move(cpus);
  record.pairs = std::move(pairs);
  return record;
}

PairResult known(std::size_t first, std::size_t second, std::int64_t least, std::int64_t most) {
  return {first, second, {least, most}, 1};
}

/// All pairs of CPUs with these offsets, each known within `width` to either side.
ProbeRecord record_with(const std::vector<std::int64_t>& offsets, std::int64_t width) {
  ProbeRecord record;
  for (std::size_t i = 0; i < offsets.size(); ++i) record.cpus.push_back(static_cast<int>(i));
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    for (std::size_t j = i + 1; j < offsets.size(); ++j) {
      const std::int64_t offset = offsets[j] - offsets[i];
      record.pairs.push_back(known(i, j, offset - width, offset + width));
    }
  }
  return record;
}

}  // namespace

TEST_CASE("offsets: one pair's bound is its farther end", "[clock]") {
  const OffsetVerdict verdict = judge(record_of({0, 1}, {known(0, 1, -60, 85)}));
  CHECK(verdict.bound_ticks == 85);
  CHECK(verdict.pairs_checked == 1);
  CHECK(verdict.pairs_insufficient == 0);
  CHECK_FALSE(verdict.skew);
  CHECK_FALSE(verdict.contradiction);
}

TEST_CASE("offsets: a pair without overlap is no evidence, so there is no bound", "[clock]") {
  PairResult loose = known(0, 1, -90, 90);
  loose.interleavings = 0;
  const OffsetVerdict verdict = judge(record_of({0, 1}, {loose}));
  CHECK_FALSE(verdict.bound_ticks);
  CHECK(verdict.pairs_checked == 0);
  CHECK(verdict.pairs_insufficient == 1);
}

TEST_CASE("offsets: a single CPU has nothing to differ from", "[clock]") {
  const OffsetVerdict verdict = judge(record_of({3}, {}));
  CHECK(verdict.bound_ticks == 0);
  CHECK(verdict.pairs_checked == 0);
}

TEST_CASE("offsets: unknown CPUs or CPUs left out leave no bound", "[clock]") {
  CHECK_FALSE(judge(ProbeRecord{}).bound_ticks);
  ProbeRecord record = record_with({0, 0}, 50);
  record.left_out = 2;
  const OffsetVerdict verdict = judge(record);
  CHECK_FALSE(verdict.bound_ticks);
  CHECK(verdict.pairs_insufficient == 5);  // 4 CPUs have 6 pairs
}

TEST_CASE("offsets: a chain of pairs bounds a pair that has no evidence of its own", "[clock]") {
  PairResult none;
  none.first = 0;
  none.second = 2;
  const OffsetVerdict verdict =
      judge(record_of({0, 1, 2}, {known(0, 1, -40, 50), known(1, 2, -30, 20), none}));
  CHECK(verdict.bound_ticks == 70);
  CHECK(verdict.matrix.at(0, 2) == Bounds{-70, 70});
  CHECK(verdict.pairs_insufficient == 1);
}

TEST_CASE("offsets: a skew is proven when the bounds exclude zero, and the largest is told",
          "[clock]") {
  const OffsetVerdict verdict = judge(record_with({0, 100, 300}, 70));
  REQUIRE(verdict.skew);
  CHECK(verdict.skew->first_cpu == 0);
  CHECK(verdict.skew->second_cpu == 2);
  CHECK(verdict.skew->at_least_ticks == 230);
  CHECK(verdict.bound_ticks == 370);
  CHECK_FALSE(judge(record_with({0, 60, -5}, 70)).skew);
}

TEST_CASE("offsets: a skew is proven in either direction", "[clock]") {
  REQUIRE(judge(record_with({0, -500}, 80)).skew);
  CHECK(judge(record_with({0, -500}, 80)).skew->at_least_ticks == 420);
  REQUIRE(judge(record_with({0, 500}, 80)).skew);
  CHECK(judge(record_with({0, 500}, 80)).skew->at_least_ticks == 420);
}

TEST_CASE("offsets: a skew that may be 0 is none", "[clock]") {
  CHECK_FALSE(judge(record_of({0, 1}, {known(0, 1, 0, 85)})).skew);
  CHECK_FALSE(judge(record_of({0, 1}, {known(0, 1, -85, 0)})).skew);
  CHECK(judge(record_of({0, 1}, {known(0, 1, 1, 85)})).skew->at_least_ticks == 1);
}

TEST_CASE("offsets: a CPU that met no other stays unbounded, however far the others are apart",
          "[clock]") {
  // Whichever it is: a sum of an open end and a bound is an open end.
  constexpr Bounds kOpen = {-Bounds{}.most, Bounds{}.most};
  for (std::size_t alone = 0; alone < 3; ++alone)
    for (const std::int64_t offset : {-250, 250}) {
      const std::size_t first = alone == 0 ? 1 : 0;
      const std::size_t second = alone == 2 ? 1 : 2;
      const OffsetVerdict verdict =
          judge(record_of({0, 1, 2}, {known(first, second, offset - 50, offset + 50)}));
      CHECK_FALSE(verdict.bound_ticks);
      CHECK(verdict.matrix.at(first, second) == Bounds{offset - 50, offset + 50});
      CHECK(verdict.matrix.at(first, alone) == kOpen);
      CHECK(verdict.matrix.at(alone, second) == kOpen);
    }
}

TEST_CASE("offsets: bounds that no constant offsets satisfy are a contradiction", "[clock]") {
  // 100 from each CPU to the next, and back to the first after three.
  const OffsetVerdict loop = judge(
      record_of({0, 1, 2}, {known(0, 1, 90, 110), known(1, 2, 90, 110), known(0, 2, -110, -90)}));
  CHECK(loop.contradiction);
  CHECK_FALSE(loop.bound_ticks);
  CHECK(judge(record_of({0, 1}, {known(0, 1, 20, 10)})).contradiction);
  CHECK_FALSE(judge(record_of({0, 1}, {known(0, 1, 10, 10)})).contradiction);
}

TEST_CASE("offsets: closing keeps the truth and only ever narrows", "[clock]") {
  std::mt19937_64 dice(5);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::int64_t> offsets;
    for (int i = 0; i < 8; ++i) offsets.push_back(static_cast<std::int64_t>(dice() % 400) - 200);
    ProbeRecord record = record_with(offsets, 0);
    for (PairResult& pair : record.pairs) {
      pair.bounds.least -= static_cast<std::int64_t>(dice() % 150);
      pair.bounds.most += static_cast<std::int64_t>(dice() % 150);
    }
    const OffsetVerdict verdict = judge(record);
    REQUIRE_FALSE(verdict.contradiction);
    for (const PairResult& pair : record.pairs) {
      const Bounds closed = verdict.matrix.at(pair.first, pair.second);
      const std::int64_t truth = offsets[pair.second] - offsets[pair.first];
      REQUIRE(closed.least <= truth);
      REQUIRE(closed.most >= truth);
      REQUIRE(closed.least >= pair.bounds.least);
      REQUIRE(closed.most <= pair.bounds.most);
    }
  }
}

TEST_CASE("offsets: verdicts that exclude each other have drifted", "[clock]") {
  const OffsetVerdict start = judge(record_with({0, 0, 0}, 80));
  CHECK_FALSE(drifted(start, judge(record_with({0, 100, 20}, 80))));
  CHECK(drifted(start, judge(record_with({0, 200, 0}, 80))));
  CHECK(drifted(start, judge(record_with({0, -200, 0}, 80))));
  // Bounds that contradict each other exclude everything, and are told by themselves.
  const OffsetVerdict contradiction = judge(record_of({0, 1, 2}, {known(0, 1, 20, 10)}));
  CHECK_FALSE(drifted(start, contradiction));
  CHECK_FALSE(drifted(contradiction, start));
}

TEST_CASE("offsets: a drift is at most from one end of the bounds to the other end of later ones",
          "[clock]") {
  const OffsetVerdict start = judge(record_with({0, 0}, 50));
  CHECK(largest_drift(start, judge(record_with({0, 200}, 30))) == 280);
  CHECK(largest_drift(start, judge(record_with({0, -200}, 30))) == 280);
}

TEST_CASE("offsets: drift is found where only a chain of pairs shows it", "[clock]") {
  const OffsetVerdict start =
      judge(record_of({0, 1, 2}, {known(0, 1, -50, 50), known(1, 2, -50, 50)}));
  const OffsetVerdict end = judge(record_of({0, 1, 2}, {known(0, 2, 101, 300)}));
  CHECK(drifted(start, end));
}

TEST_CASE("record: of 256 CPUs, too, each pair is merged with itself and new ones follow in order",
          "[clock]") {
  std::mt19937_64 dice(17);
  const auto number = [&](std::uint64_t below) {
    return static_cast<std::int64_t>(dice() % below);
  };
  ProbeRecord record;
  for (int seat = 0; seat < 256; ++seat) record.cpus.push_back(3 * seat + 1);
  // What is expected, found by CPU numbers.
  std::vector<PairResult> expected;
  std::map<std::pair<int, int>, std::size_t> places;
  const auto expect = [&](std::pair<int, int> cpus, const PairResult& pair) {
    const auto [place, is_new] = places.emplace(cpus, expected.size());
    PairResult& known = is_new ? expected.emplace_back() : expected[place->second];
    known.bounds.least = std::max(known.bounds.least, pair.bounds.least);
    known.bounds.most = std::min(known.bounds.most, pair.bounds.most);
    known.interleavings += pair.interleavings;
  };
  for (int attempt = 0; attempt < 4; ++attempt) {
    // The same CPU has another position in an attempt of fewer.
    ProbeRecord more;
    for (const int cpu : record.cpus)
      if (attempt == 0 || number(8) != 0) more.cpus.push_back(cpu);
    for (std::size_t first = 0; first < more.cpus.size(); ++first)
      for (std::size_t second = first + 1; second < more.cpus.size(); ++second) {
        const std::int64_t least = -number(500);
        const bool seen = number(4) != 0;
        if (seen) more.pairs.push_back({first, second, {least, number(500)}, 1});
      }
    std::shuffle(more.pairs.begin(), more.pairs.end(), dice);
    for (const PairResult& pair : more.pairs)
      expect({more.cpus[pair.first], more.cpus[pair.second]}, pair);
    merge(record, more);
  }
  REQUIRE(record.pairs.size() == expected.size());
  for (const auto& [cpus, place] : places) {
    const PairResult& pair = record.pairs[place];
    REQUIRE(std::pair(record.cpus[pair.first], record.cpus[pair.second]) == cpus);
    REQUIRE(pair.bounds == expected[place].bounds);
    REQUIRE(pair.interleavings == expected[place].interleavings);
  }
}

TEST_CASE("record: inversions add up, the largest stays, and loops count that went over all CPUs",
          "[clock]") {
  ProbeRecord record = record_of({0, 1, 2}, {});
  record.order = {.loops = 10, .inversions = 1, .largest_ticks = 7};
  ProbeRecord more = record_of({0, 1, 2}, {});
  more.order = {.loops = 20, .inversions = 2, .largest_ticks = 5};
  merge(record, more);
  CHECK(record.order.loops == 30);
  CHECK(record.order.inversions == 3);
  CHECK(record.order.largest_ticks == 7);
  more.cpus = {0, 2};
  more.order.largest_ticks = 9;
  merge(record, more);
  CHECK(record.order.loops == 30);
  CHECK(record.order.inversions == 5);
  CHECK(record.order.largest_ticks == 9);
}

TEST_CASE("tournament: every pair meets once, nobody twice in a round", "[clock]") {
  for (std::size_t cpus = 0; cpus <= 33; ++cpus) {
    const auto rounds = tournament(cpus);
    std::set<std::pair<std::size_t, std::size_t>> met;
    for (const auto& round : rounds) {
      std::set<std::size_t> busy;
      for (const Meeting& meeting : round) {
        REQUIRE(meeting.first < meeting.second);
        REQUIRE(meeting.second < cpus);
        REQUIRE(met.emplace(meeting.first, meeting.second).second);
        REQUIRE(busy.insert(meeting.first).second);
        REQUIRE(busy.insert(meeting.second).second);
      }
    }
    REQUIRE(met.size() == (cpus < 2 ? 0 : cpus * (cpus - 1) / 2));
    REQUIRE(rounds.size() <= cpus);
  }
}

TEST_CASE("probe: a CPU that does not exist has insufficient pairs", "[clock]") {
  const std::vector<int> allowed = allowed_cpus();
  REQUIRE_FALSE(allowed.empty());
  const std::vector<int> cpus = {allowed.front(), 100'000};
  const ProbeRecord record = probe_cpus(cpus, {});
  REQUIRE(record.pairs.size() == 1);
  CHECK(record.pairs.front().interleavings == 0);
  CHECK_FALSE(judge(record).bound_ticks);
}

TEST_CASE("probe: the kernel's clock is not found skewed, and the caller's affinity stays",
          "[clock]") {
  const std::vector<int> allowed = allowed_cpus();
  const ProbeRecord record = probe_cpus(allowed, {});
  CHECK(allowed_cpus() == allowed);
  const std::size_t probed = std::min(allowed.size(), kMostCpus);
  CHECK(record.cpus.size() == probed);
  CHECK(record.left_out == allowed.size() - probed);
  CHECK(record.pairs.size() == probed * (probed - 1) / 2);
  CHECK(record.unsteady.empty());
  const OffsetVerdict verdict = judge(record);
  CHECK_FALSE(verdict.skew);
  CHECK_FALSE(verdict.contradiction);
}

TEST_CASE("probe: more CPUs than can be closed are left out and counted", "[clock]") {
  std::vector<int> cpus;
  for (int i = 0; i < 300; ++i) cpus.push_back(100'000 + i);  // none exists, so this is quick
  const ProbeRecord record = probe_cpus(cpus, {});
  CHECK(record.cpus.size() == kMostCpus);
  CHECK(record.left_out == 300 - kMostCpus);
}

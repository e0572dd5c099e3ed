// pmu_halving_test.cpp: groups that do not fit the counters, on counters that are not there and on
// the breakpoint registers of this machine.
#include "pmu/halving.hpp"
#include "pmu/session.hpp"
#include "tests/catch.hpp"
#include "tests/pmu_fake.hpp"
#include "tests/pmu_sources.hpp"

#include <cerrno>
#include <numeric>

namespace {

using namespace chronio::pmu;
using namespace chronio::tests;

Indexes first(std::size_t count) {
  Indexes all(count);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// Counters of which some events need the same one, as on real machines.
struct Counters {
  std::size_t width = 4;
  Indexes only_one;  ///< of these events only one counts at a time
  Indexes none;      ///< these never count
  std::size_t tries = 0;

  [[nodiscard]] int open(const Indexes& group) {
    ++tries;
    const auto of = [&](const Indexes& list) {
      return std::count_if(group.begin(), group.end(), [&](std::size_t event) {
        return std::find(list.begin(), list.end(), event) != list.end();
      });
    };
    if (of(none) != 0) return -EBUSY;
    return group.size() > width || of(only_one) > 1 ? -EINVAL : 0;
  }
};

struct Opened {
  std::vector<Indexes> groups;
  Indexes refused;
  std::vector<int> errors;
};

Opened opened(Counters& counters, std::deque<Indexes> parts) {
  Opened opened;
  open_in_halves(
      std::move(parts),
      [&](const Indexes& group) {
        const int error = counters.open(group);
        if (error == 0) opened.groups.push_back(group);
        return error;
      },
      [&](std::size_t event, int error) {
        opened.refused.push_back(event);
        opened.errors.push_back(error);
      });
  return opened;
}

using Groups = std::vector<Indexes>;

/// The fake PMU, with the events of each group as the halving left them.
struct Grouped {
  FakePmu& pmu;
  const Groups& groups;
  void arm(std::size_t group, std::uint64_t period) noexcept { pmu.arm(group, period); }
  Window harvest(std::size_t group) noexcept {
    const Window all = pmu.harvest(group);
    Window window = all;
    for (std::size_t i = 0; i < groups[group].size(); ++i)
      window.value[i] = all.value[groups[group][i]];
    return window;
  }
};

[[gnu::noinline]] void called() { asm volatile("nop" ::: "memory"); }

}  // namespace

TEST_CASE("halving: a group that fits stays whole", "[pmu]") {
  Counters counters;
  CHECK(opened(counters, {first(4)}).groups == Groups{{0, 1, 2, 3}});
  CHECK(counters.tries == 1);
}

TEST_CASE("halving: a group too wide becomes the fewest halves, in order", "[pmu]") {
  Counters counters;
  CHECK(opened(counters, {first(8)}).groups == Groups{{0, 1, 2, 3}, {4, 5, 6, 7}});
  CHECK(opened(counters, {first(5)}).groups == Groups{{0, 1}, {2, 3, 4}});
  counters.width = 1;
  CHECK(opened(counters, {first(3)}).groups == Groups{{0}, {1}, {2}});
}

TEST_CASE("halving: groups after the one that does not fit keep their places", "[pmu]") {
  Counters counters{.width = 2, .only_one = {}, .none = {}};
  CHECK(opened(counters, {{0, 1}, {2, 3, 4, 5}, {6}}).groups ==
        Groups{{0, 1}, {2, 3}, {4, 5}, {6}});
}

TEST_CASE("halving: events that need the same counter end in different groups", "[pmu]") {
  Counters counters{.width = 4, .only_one = {1, 2}, .none = {}};
  const Opened result = opened(counters, {first(4)});
  CHECK(result.groups == Groups{{0, 1}, {2, 3}});
  CHECK(result.refused.empty());
}

TEST_CASE("halving: one event that never counts costs only itself", "[pmu]") {
  for (std::size_t bad = 0; bad < 8; ++bad) {
    Counters counters{.width = 8, .only_one = {}, .none = {bad}};
    const Opened result = opened(counters, {first(8)});
    CHECK(result.refused == Indexes{bad});
    CHECK(result.errors == std::vector<int>{-EBUSY});
    std::size_t placed = 0;
    for (const Indexes& group : result.groups) placed += group.size();
    CHECK(placed == 7);
    CHECK(counters.tries == 7);  // 8, twice 4, twice 2, twice 1
  }
}

TEST_CASE("halving: the halves of a group take turns, and each event keeps its own total",
          "[pmu]") {
  Counters counters{.width = 2, .only_one = {0, 1}, .none = {}};
  const Opened result = opened(counters, {first(kFakeEvents)});
  REQUIRE(result.groups == Groups{{0}, {1}, {2}, {3, 4}});
  Rotation rotation = rotation_of(result.groups.size(), 1, 5000, Order::shuffled);
  for (std::size_t i = 0; i < result.groups.size(); ++i)
    rotation.members[i] = result.groups[i].size();
  FakePmu pmu;
  Grouped grouped{pmu, result.groups};
  Rotator rotator(grouped, rotation);
  Segment steady;
  steady.ns = 1e7;
  steady.trigger = 1;
  for (std::size_t i = 0; i < kFakeEvents; ++i)
    steady.events[i] = 0.01 * static_cast<double>(i + 1);
  pmu.run(segments({steady}), rotator);
  for (std::size_t group = 0; group < result.groups.size(); ++group)
    for (std::size_t i = 0; i < result.groups[group].size(); ++i)
      CHECK(rotator.estimate(group, i).total ==
            Approx(pmu.event(result.groups[group][i])).epsilon(1e-3));
  CHECK(pmu.protocol_errors == 0);
}

TEST_CASE("halving: of more breakpoints than the machine has, all that fit are counted", "[pmu]") {
  needs_perf();
  constexpr std::size_t kAsked = kMaxMembers;
  constexpr int kCalls = 300;
  const double truth = meets_breakpoints() ? kCalls : 0;
  Request request;
  request.need = Need::automatic;
  request.events.push_back(
      {.events = std::vector(kAsked, breakpoint(called)), .braced = true, .trigger = std::nullopt});
  request.trigger = named("page-faults");
  request.period = 10;
  request.budget = 1;
  Session session(request);
  Pages pages;
  session.begin();
  for (int i = 0; i < kCalls; ++i) {
    called();
    pages.touch(static_cast<std::size_t>(i));
  }
  session.finish();
  session.close();
  const Counts counts = session.counts();
  REQUIRE(counts.events.size() == kAsked);
  std::size_t total = 0;  // events that have one
  for (const EventCount& event : counts.events) {
    if (event.total) {
      ++total;
      CHECK(static_cast<double>(*event.total) == Approx(truth).epsilon(0.1));
      continue;
    }
    CHECK(event.status == Status::not_counted);
    CHECK(event.reason.find("all counters that can count it are taken") != std::string::npos);
  }
  if (total == 0) {
    WARN("no breakpoint can be counted here: " << counts.reason);
    return;
  }
  if (counts.mode != Mode::overflow) WARN(counts.reason);
  CHECK(counts.windows_dropped == 0);
}

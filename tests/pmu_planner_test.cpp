// pmu_planner_test.cpp: which events share a group.
#include "pmu/planner.hpp"
#include "tests/catch.hpp"

#include <algorithm>

namespace {

using namespace chronio::pmu;

using Names = std::vector<std::string>;

GroupPlan plan_of(std::string_view text, std::size_t width,
                  const std::string& trigger = "instructions") {
  const EventList list = parse_events(text);
  REQUIRE(list.error.empty());
  return plan_groups(list.groups, *find_event(trigger, "/sys").event, width);
}

Names names_of(const GroupPlan& plan, const std::vector<std::size_t>& indexes) {
  Names names;
  for (const std::size_t index : indexes) names.push_back(plan.events[index].name);
  return names;
}

std::vector<Names> groups_of(const GroupPlan& plan) {
  std::vector<Names> groups;
  for (const PlannedGroup& group : plan.rotating) groups.push_back(names_of(plan, group.members));
  return groups;
}

using Groups = std::vector<Names>;

}  // namespace

TEST_CASE("planner: the default group is one group, and its trigger counts instructions", "[pmu]") {
  const GroupPlan plan = plan_of("default", 3);
  CHECK(groups_of(plan) == Groups{{"cycles", "branch-misses", "cache-misses"}});
  CHECK(names_of(plan, plan.counts_trigger) == Names{"instructions"});
}

TEST_CASE("planner: events of a metric stay together", "[pmu]") {
  const GroupPlan plan =
      plan_of("branches,cache-references,LLC-loads,branch-misses,LLC-load-misses,cache-misses", 4);
  CHECK(groups_of(plan) == Groups{{"branches", "branch-misses", "cache-references", "cache-misses"},
                                  {"LLC-loads", "LLC-load-misses"}});
}

TEST_CASE("planner: a metric of user mode is none with one of kernel mode", "[pmu]") {
  const GroupPlan plan = plan_of("branches:u,branches:k,branch-misses:k,branch-misses:u", 2);
  CHECK(groups_of(plan) ==
        Groups{{"branches:u", "branch-misses:u"}, {"branches:k", "branch-misses:k"}});
}

TEST_CASE("planner: no group is wider than the counters", "[pmu]") {
  for (std::size_t width = 1; width <= 10; ++width) {
    const GroupPlan plan = plan_of("all", width);
    std::size_t placed = plan.always.size() + plan.counts_trigger.size();
    for (const PlannedGroup& group : plan.rotating) {
      CHECK_FALSE(group.members.empty());
      CHECK(group.members.size() <= std::min(width, kMaxMembers));
      placed += group.members.size();
    }
    CHECK(placed == plan.events.size());
  }
}

TEST_CASE("planner: software events rotate only where braces say so", "[pmu]") {
  const GroupPlan plan = plan_of("cycles,page-faults,{minor-faults},{major-faults}", 4);
  CHECK(names_of(plan, plan.always) == Names{"page-faults"});
  CHECK(groups_of(plan) == Groups{{"cycles"}, {"minor-faults"}, {"major-faults"}});
}

TEST_CASE("planner: braces are kept, and split in order where they are too wide", "[pmu]") {
  CHECK(groups_of(plan_of("{branches,cycles,branch-misses},r1", 2)) ==
        Groups{{"branches", "cycles"}, {"branch-misses"}, {"r1"}});
}

TEST_CASE("planner: a group keeps its own trigger", "[pmu]") {
  const GroupPlan plan = plan_of("branches,{r1,r2}@cycles,r3,r4@cycles", 4);
  REQUIRE(plan.triggers.size() == 2);
  REQUIRE(plan.rotating.size() == 4);
  CHECK(plan.rotating[0].trigger == 0);
  CHECK(plan.rotating[1].trigger == 1);
  CHECK(plan.rotating[2].trigger == 0);
  CHECK(plan.rotating[3].trigger == 1);
}

TEST_CASE("planner: where triggers differ none of them is counted throughout", "[pmu]") {
  const GroupPlan plan = plan_of("instructions,{r1}@cycles", 4);
  CHECK(plan.counts_trigger.empty());
  CHECK(groups_of(plan) == Groups{{"instructions"}, {"r1"}});
}

TEST_CASE("planner: the same list gives the same groups", "[pmu]") {
  CHECK(groups_of(plan_of("all", 4)) == groups_of(plan_of("all", 4)));
}

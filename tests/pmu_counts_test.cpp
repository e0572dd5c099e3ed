// pmu_counts_test.cpp: what a session tells of each event. Skips (77) where perf events can't be
// opened.
#include "tests/catch.hpp"
#include "tests/pmu_sessions.hpp"

#include <cmath>
#include <utility>
#include <vector>

using namespace chronio::pmu;
using namespace chronio::tests;

TEST_CASE("session: an event's figures are those of its windows in the log", "[pmu]") {
  needs_perf();
  Request request = rotating("task-clock");  // against time the rate of faults is not constant
  request.period = 200'000;
  request.budget = 1;
  request.log = true;
  Session session(request);
  Pages pages;
  session.begin();
  for (std::size_t i = 0; i < kFaults; ++i) {
    if (i % 250 == 0) use_cpu(2'000'000);
    pages.touch(i);
  }
  session.finish();
  const Counts counts = session.counts();
  REQUIRE((counts.mode == Mode::overflow && counts.log && counts.windows_dropped == 0));
  for (const EventCount& event : counts.events) {
    EventSeries series;
    for (std::size_t row = 0; row < counts.log->group.size(); ++row)
      if (counts.log->group[row] == event.group)
        series.add(counts.log->trigger[row], counts.log->trigger[row], counts.log->values[row][0],
                   counts.log->running_ns[row]);
    const Estimate expected = series.estimate(static_cast<double>(counts.trigger->total));
    CHECK(event.windows == series.sums().windows);
    CHECK(event.counted == series.sums().counted);
    CHECK(event.counted_ns == series.sums().ns);
    CHECK(event.coverage == expected.coverage);
    CHECK(event.total == static_cast<std::uint64_t>(std::llround(expected.total)));
    if (event.status == Status::ok)  // rounded up: it must not become narrower
      CHECK(event.ci95 == static_cast<std::uint64_t>(std::ceil(expected.half95)));
  }
}

TEST_CASE("session: the domain is that of the events that are counted", "[pmu]") {
  needs_perf();
  Event unknown;  // of both modes, and never counted
  unknown.type = 0x7fffffff;
  for (const auto& [events, domain] :
       std::vector<std::pair<const char*, const char*>>{{"page-faults:u", "user"},
                                                        {"page-faults:k", "kernel"},
                                                        {"page-faults", "user+kernel"},
                                                        {"page-faults:u,cs:k", "mixed"},
                                                        {"page-faults:u,minor-faults", "mixed"}}) {
    INFO(events);
    Request request = request_of(events);
    if (!Session(request).shortfall().empty()) continue;  // no right to count the kernel's part
    request.events[0].events.push_back(unknown);
    Session session(request);
    CHECK(counted(session, 10).domain == domain);
  }
}

TEST_CASE("session: an event for which nothing is left was not counted, but might have been",
          "[pmu]") {
  needs_perf();
  if (!meets_breakpoints()) {
    WARN("hardware breakpoints can't be counted here");
    return;
  }
  Request request = request_of("page-faults");
  constexpr std::size_t kMoreThanAnyCpuHas = 17;  // 4 on x86, up to 16 on arm64
  request.events[0].events.assign(kMoreThanAnyCpuHas, breakpoint([] {}));
  Session session(request);
  const Counts counts = counted(session, 10);
  CHECK(counts.available);
  CHECK(counts.events.front().status == Status::exact);
  CHECK(counts.events.back().status == Status::not_counted);
  CHECK_FALSE(counts.events.back().total.has_value());
}

TEST_CASE("session: a group whose turn did not come has no total, and few turns no interval",
          "[pmu]") {
  needs_perf();
  Request request = rotating("page-faults");
  request.order = Order::preset;
  request.period = 1000;
  request.budget = 1;
  const auto ten_faults = [] {
    Pages pages;
    fault(pages, 10);
  };
  // Of so short a run, a hypervisor that takes the CPU away beside its only window leaves too much
  // uncounted for a total.
  const Counts one_window = counted_until(request, ten_faults, [](const Counts& found) {
    return found.events[1].status == Status::exact;
  });
  REQUIRE(one_window.mode == Mode::overflow);
  CHECK(one_window.events[1].windows == 1);
  CHECK(one_window.events[1].status == Status::exact);  // all of the run was its turn
  CHECK(one_window.events[2].windows == 0);
  CHECK(one_window.events[2].status == Status::not_counted);
  CHECK(one_window.events[2].reason == "the measured part was too short for its turn");
  CHECK_FALSE(one_window.events[2].total.has_value());
  Session session(request);
  const Counts three_each = counted(session, 5300);
  for (const std::size_t i : {1U, 2U}) {
    CHECK(three_each.events[i].windows == 3);
    CHECK(three_each.events[i].status == Status::insufficient);
    CHECK(three_each.events[i].total.has_value());
    CHECK_FALSE(three_each.events[i].ci95.has_value());
  }
}

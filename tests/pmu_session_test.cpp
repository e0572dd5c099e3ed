// pmu_session_test.cpp: a thread counted from begin to end, by software events, which any kernel
// has. Skips (77) where perf events can't be opened.
#include "pmu/session.hpp"
#include "pmu/trial.hpp"
#include "pmu/usage.hpp"
#include "tests/catch.hpp"
#include "tests/pmu_sessions.hpp"

#include <array>
#include <atomic>
#include <cmath>
#include <thread>

namespace {

using namespace chronio::pmu;
using namespace chronio::tests;

// Of the program itself, at most. The address sanitizer may keep returned frames in memory of its
// own, each page of which faults once.
#if defined(__has_feature)
constexpr double kOwnFaults = __has_feature(address_sanitizer) ? 500 : 20;
#else
constexpr double kOwnFaults = 20;
#endif

bool near_truth(const EventCount& event) {
  return event.total && static_cast<double>(*event.total) >= kFaults &&
         static_cast<double>(*event.total) <= kFaults + kOwnFaults;
}

}  // namespace

TEST_CASE("session: events that fit are counted throughout, exactly", "[pmu]") {
  needs_perf();
  Session session(request_of("page-faults,minor-faults,major-faults"));
  CHECK(session.shortfall().empty());
  const Counts counts = counted(session, kFaults);
  CHECK(counts.available);
  CHECK(counts.mode == Mode::counting);
  CHECK(counts.domain == "user+kernel");
  REQUIRE(counts.events.size() == 3);
  for (const EventCount& event : counts.events) {
    CHECK(event.status == Status::exact);
    CHECK(event.coverage == 1);
    CHECK(event.ci95 == 0U);
    CHECK_FALSE(event.group.has_value());
  }
  CHECK(near_truth(counts.events[0]));
  CHECK(near_truth(counts.events[1]));
  CHECK(counts.events[2].total == 0U);
}

TEST_CASE("session: groups in braces take turns, and each estimates the whole", "[pmu]") {
  needs_perf();
  Request request = rotating("page-faults");
  request.period = 100;
  request.budget = 1;  // or windows become longer on a slow machine
  Session session(request);
  INFO(session.shortfall());
  const Usage before = thread_usage();
  const Counts counts = counted(session, kFaults);
  const Usage used = between(before, thread_usage());  // more than the measured part
  REQUIRE(counts.mode == Mode::overflow);
  CHECK(counts.notify != Notify::none);
  CHECK(counts.switches >= 49);
  CHECK(counts.windows_dropped == 0);
  // Half of the calls took the median or longer, which is told an eighth too high at most.
  const double handler_ns =
      static_cast<double>(counts.switches * counts.handler_p50_ns.value()) / 2 * 8 / 9;
  CHECK(counts.overhead_percent.value() >=
        100 * handler_ns / static_cast<double>(used.user_ns + used.system_ns));
  REQUIRE(counts.trigger.has_value());
  CHECK(counts.trigger->event == "page-faults");
  CHECK(counts.events[0].status == Status::exact);  // it is the trigger itself
  CHECK(near_truth(counts.events[0]));
  CHECK(counts.events[1].status == Status::ok);
  CHECK(counts.events[1].ci95.has_value());
  for (const std::size_t i : {1U, 2U}) CHECK(counts.events[i].coverage == Approx(0.5).margin(0.1));
  INFO("minor faults " << counts.events[1].total.value_or(0) << " +- "
                       << counts.events[1].ci95.value_or(0));
  CHECK(near_truth(counts.events[1]));
  // None came in half of the run: of the other half that tells little.
  CHECK(counts.events[2].total == 0U);
  CHECK(counts.events[2].status == Status::insufficient);
  CHECK(counts.events[2].reason ==
        "a thread saw it in none of its windows, which allows no interval");
}

TEST_CASE("session: each way to be told of overflows counts the same", "[pmu]") {
  needs_perf();
  for (const Notify notify : {Notify::sigtrap, Notify::signal, Notify::poll}) {
    INFO(name(notify));
    Request request = rotating("page-faults");
    request.period = 100;
    request.notify = notify;
    const auto work = [] {
      Pages pages;
      fault(pages, kFaults);
    };
    const Counts counts = counted_until(request, work, [](const Counts& found) {
      return found.mode != Mode::overflow ||
             (found.events[1].windows > 0 && found.events[2].windows > 0);
    });
    if (counts.mode != Mode::overflow) {
      CHECK_FALSE(counts.reason.empty());
      continue;
    }
    CHECK(counts.notify == notify);
    CHECK(counts.events[1].windows > 0);
    CHECK(counts.events[2].windows > 0);
    // Another thread does not stop this one while it switches: what it does meanwhile is lost.
    const EventCount& trigger = counts.events[0];
    CHECK((trigger.status == Status::exact) == (notify != Notify::poll));
    CHECK(trigger.reason.empty() == (notify != Notify::poll));
    CHECK(trigger.ci95.has_value() == (notify != Notify::poll));
    // Of an event without an interval, too: major faults, of which none came.
    CHECK((counts.events[2].reason.find("another thread") == std::string::npos) ==
          (notify != Notify::poll));
  }
}

TEST_CASE("session: a period that nobody gave comes from the ramp", "[pmu]") {
  needs_perf();
  Session session(rotating("task-clock"));
  session.ramp();
  use_cpu(20'000'000);
  session.begin();
  use_cpu(50'000'000);
  session.finish();
  const Counts counts = session.counts();
  REQUIRE(counts.mode == Mode::overflow);
  CHECK(counts.trigger->calibrated);
  // A thousandth of a CPU-second in ns, unless the handler's cost made it longer.
  const double base =
      static_cast<double>(counts.trigger->period) / std::pow(1.5, counts.trigger->stretched);
  CHECK(base == Approx(1e6).epsilon(0.01));
}

TEST_CASE("session: a handler that takes more than the budget makes windows longer", "[pmu]") {
  needs_perf();
  constexpr std::uint64_t kPeriod = 10;
  for (const double budget : {0.0, 1.0}) {  // the least that is kept, and all of the CPU time
    INFO("budget " << budget);
    Request request = rotating("page-faults");
    request.period = kPeriod;
    request.budget = budget;
    Session session(request);
    INFO(session.shortfall());
    const Counts counts = counted(session, kFaults);
    REQUIRE(counts.mode == Mode::overflow);
    REQUIRE(counts.trigger.has_value());
    CHECK((counts.trigger->stretched > 0) == (budget == 0));
    std::uint64_t expected = kPeriod;
    for (std::uint32_t i = 0; i < counts.trigger->stretched; ++i) expected += expected / 2 + 1;
    CHECK(counts.trigger->period == expected);
    CHECK(near_truth(counts.events[0]));  // however long the windows are
  }
}

TEST_CASE("session: windows shorter than the handler neither end the thread nor hold it up",
          "[pmu]") {
  needs_perf();
  for (const Notify notify : {Notify::sigtrap, Notify::signal, Notify::poll}) {
    INFO(name(notify));
    Request request = rotating("task-clock");  // the handler's time counts, too
    request.period = 1;
    request.budget = 1;
    request.notify = notify;
    const auto work = [] { use_cpu(100'000'000); };
    const Counts counts = counted_until(request, work, [](const Counts& found) {
      return found.mode != Mode::overflow || found.switches > 1;
    });
    if (counts.mode != Mode::overflow) continue;
    CHECK(counts.switches > 1);
    CHECK(counts.trigger->period >= kClockTrigger.shortest);
    CHECK(counts.reason.find("pmu_period=1 is too short for a clock") != std::string::npos);
  }
}

TEST_CASE("session: the same seed gives the same order of groups", "[pmu]") {
  needs_perf();
  std::vector<std::vector<std::uint32_t>> orders;
  for (const std::uint64_t seed : {1U, 1U, 2U}) {
    Request request = rotating("page-faults");
    request.period = 100;
    request.budget = 1;
    request.log = true;
    request.seed = seed;
    Session session(request);
    const Counts counts = counted(session, kFaults);
    REQUIRE(counts.log.has_value());
    CHECK(counts.log->group.size() == counts.switches);
    orders.emplace_back(counts.log->group.begin(), counts.log->group.begin() + 40);
  }
  CHECK(orders[0] == orders[1]);
  CHECK(orders[0] != orders[2]);
}

TEST_CASE("session: switched by the kernel, it says so", "[pmu]") {
  needs_perf();
  Request request = rotating("page-faults");
  request.kernel_switch = true;
  Session session(request);
  const Counts counts = counted(session, kFaults);
  CHECK(counts.mode == Mode::kernel);
  CHECK(counts.estimator == Estimator::time);
  CHECK(counts.notify == Notify::none);
  CHECK(near_truth(counts.events[0]));
}

TEST_CASE("session: what can't be counted has a status and a reason, and no total", "[pmu]") {
  Request request = request_of("page-faults");
  Event unknown;
  unknown.name = "unknown";
  unknown.type = 0x7fffffff;
  request.events[0].events = {unknown};
  Session session(request);
  const Counts counts = counted(session, 10);
  CHECK(counts.mode == Mode::none);
  CHECK_FALSE(counts.available);
  CHECK_FALSE(session.shortfall().empty());
  CHECK(counts.reason == session.shortfall());
  REQUIRE(counts.events.size() == 1);
  CHECK((counts.events[0].status == Status::not_supported ||
         counts.events[0].status == Status::no_permission));
  CHECK_FALSE(counts.events[0].reason.empty());
  CHECK_FALSE(counts.events[0].total.has_value());
}

TEST_CASE("session: events that nobody named are dropped once they pass the budget", "[pmu]") {
  needs_perf();
  for (const bool droppable : {true, false}) {
    Request request = request_of("page-faults");
    request.droppable = droppable;
    request.budget = 0;
    Session session(request);
    session.begin();
    use_cpu(30'000'000);
    for (int i = 0; i < 20; ++i) std::thread([] {}).join();  // some context switches
    session.watch();
    session.finish();
    const Counts counts = session.counts();
    CHECK(counts.available != droppable);
    CHECK((counts.events[0].status == Status::not_counted) == droppable);
    CHECK((counts.reason.find("pmu_budget") != std::string::npos) == droppable);
    CHECK(counts.overhead_percent.value_or(0) > 0);  // of the context switches alone
  }
}

TEST_CASE("session: context switches after events were dropped are no cost of counting", "[pmu]") {
  needs_perf();
  std::array<double, 2> cost = {};
  for (const bool droppable : {false, true}) {
    Request request = request_of("page-faults");
    request.droppable = droppable;
    request.budget = 0;
    Session session(request);
    const Usage before = thread_usage();
    session.begin();
    use_cpu(30'000'000);
    for (int i = 0; i < 20; ++i) std::thread([] {}).join();  // with none the budget is kept
    session.watch();
    for (int i = 0; i < 2000; ++i) std::thread([] {}).join();
    session.finish();
    const Usage used = between(before, thread_usage());
    cost.at(droppable ? 1 : 0) = session.counts().overhead_percent.value_or(0) *
                                 static_cast<double>(used.user_ns + used.system_ns);
  }
  // The other session's switches are some hundred times as many as those before the drop.
  CHECK(cost[1] < cost[0] / 4);
}

TEST_CASE("session: another thread may watch from before the beginning until after the end",
          "[pmu]") {
  needs_perf();
  for (const double budget : {1e9, 0.0}) {  // nothing is dropped; all is, at the first look
    INFO("budget " << budget);
    Request request = rotating("page-faults");
    request.period = 100;
    request.notify = Notify::poll;  // a third thread, which switches
    request.droppable = true;
    request.budget = budget;
    Session session(request);
    std::atomic<bool> over{false};
    std::thread watcher([&] {
      while (!over.load()) session.watch();
    });
    Pages pages;
    session.begin();
    use_cpu(30'000'000);  // before that a session is not judged
    fault(pages, kFaults);
    session.finish();
    const Counts counts = session.counts();
    session.close();
    over = true;
    watcher.join();
    if (counts.mode != Mode::overflow) WARN(counts.reason);
    if (budget == 0) continue;
    CHECK(counts.available);
    CHECK(counts.reason.find("pmu_budget") == std::string::npos);
    // Not those while it switched: how many is the scheduler's matter.
    const auto total = static_cast<double>(counts.events[0].total.value_or(0));
    CHECK(total > 0);
    CHECK(total <= kFaults + kOwnFaults);
  }
}

TEST_CASE("session: what the ramp shows to be too dear is never begun", "[pmu]") {
  needs_perf();
  Request request = request_of("page-faults");
  request.droppable = true;
  request.budget = 0;
  Session session(request);
  session.ramp();
  use_cpu(30'000'000);
  for (int i = 0; i < 20; ++i) std::thread([] {}).join();
  const Counts counts = counted(session, 10);
  CHECK(counts.events[0].status == Status::not_counted);
  CHECK(counts.reason.find("pmu_budget") != std::string::npos);
  CHECK(counts.overhead_percent.value_or(0) == 0);
}

TEST_CASE("session: without begin there are no counts, and no end is one too many", "[pmu]") {
  needs_perf();
  // Counted throughout, and as the trigger of groups that take turns: neither has a total of what
  // the set-up tried.
  for (const char* events : {"task-clock,page-faults", "task-clock,{page-faults},{minor-faults}"}) {
    INFO(events);
    Request request = request_of(events);
    request.trigger = find_event("task-clock", {}).event;
    Session session(request);
    session.finish();
    session.watch();
    session.close();
    session.close();
    const Counts counts = session.counts();
    CHECK_FALSE(counts.available);
    CHECK(counts.reason == "the measured part never began");
    for (const EventCount& event : counts.events) {
      CHECK(event.status == Status::not_counted);
      CHECK_FALSE(event.total.has_value());
      CHECK(event.counted == 0);
      CHECK(event.reason == "the measured part never began");
    }
  }
}

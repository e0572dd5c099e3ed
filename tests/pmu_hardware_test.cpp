// pmu_hardware_test.cpp: counting by real counters, of a loop whose instructions are known. Prints
// what it finds. Skips (77) where there are none: most virtual machines have none.
#include "pmu/probe.hpp"
#include "pmu/session.hpp"
#include "tests/catch.hpp"
#include "tests/pmu_sources.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace {

using namespace chronio::pmu;
using namespace chronio::tests;

constexpr std::uint64_t kInTurn = 4;  // instructions

/// A loop of kInTurn instructions.
[[gnu::noinline]] void turn(std::uint64_t turns) {
#if defined(__aarch64__)
  asm volatile("1: nop; nop; subs %0, %0, #1; b.ne 1b" : "+r"(turns) : : "cc");
#elif defined(__x86_64__)
  asm volatile("1: nop; nop; sub $1, %0; jnz 1b" : "+r"(turns) : : "cc");
#else
  skip("the loop is not written for this processor");
#endif
}

void needs_counters() {
  needs_perf();
  if (const Trial trial = try_event(named("cycles")); trial.error != 0)
    skip("cycles can't be counted: " + why_unavailable(trial.error, true, paranoid_level()));
}

/// Some processors, and emulated ones that don't count what they execute, have no such event.
bool counts_instructions() {
  if (try_event(named("instructions:u")).error == 0) return true;
  WARN("instructions can't be counted here");
  return false;
}

Request request_of(std::string_view events, std::uint64_t period) {
  Request request;
  request.need = Need::automatic;
  request.events = parse_events(events).groups;
  REQUIRE_FALSE(request.events.empty());
  request.trigger = named("cycles");
  request.period = period;
  request.budget = 1;
  request.log = true;
  return request;
}

Counts counted(const Request& request, std::uint64_t turns) {
  Session session(request);
  INFO(session.shortfall());
  session.begin();
  turn(turns);
  session.finish();
  session.close();
  return session.counts();
}

constexpr const char* kThreeGroups = "{instructions:u},{cycles:u},{cycles:k}";
constexpr const char* kWithoutInstructions = "{cycles:u},{cycles:k},{cycles}";

/// Trigger events of each window that an overflow has ended, in order: the end of the measured part
/// cuts the last one off.
std::vector<std::uint64_t> overflowed(const Counts& counts) {
  std::vector<std::uint64_t> windows = counts.log->trigger;
  if (!windows.empty()) windows.pop_back();
  return windows;
}

/// Trigger events beyond the period of each window that was not ended early; sorted.
std::vector<std::uint64_t> skids(const std::vector<std::uint64_t>& windows, std::uint64_t period) {
  std::vector<std::uint64_t> skids;
  for (const std::uint64_t trigger : windows)
    if (trigger >= period) skids.push_back(trigger - period);
  std::sort(skids.begin(), skids.end());
  return skids;
}

void check_windows(Notify notify, std::uint64_t period) {
  INFO(name(notify) << ", period " << period);
  Request request = request_of(kWithoutInstructions, period);
  request.notify = notify;
  const Counts counts = counted(request, std::max<std::uint64_t>(20 * period, 20'000'000));
  if (counts.mode != Mode::overflow) {
    WARN(counts.reason);
    return;
  }
  CHECK(counts.notify == notify);
  CHECK(counts.windows_dropped == 0);
  REQUIRE(counts.log.has_value());
  if (!counts_instructions()) return;  // nor are cycles its own: they pass while it is not running
  const std::vector<std::uint64_t> windows = overflowed(counts);
  const std::vector<std::uint64_t> beyond = skids(windows, period);
  REQUIRE(beyond.size() >= 10);
  const auto share = [&](double part) {
    return beyond[static_cast<std::size_t>(part * static_cast<double>(beyond.size() - 1))];
  };
  fmt::print(
      "{:<7} period {:>8}: {:>6} windows of {} cycles; skid p50 {}, p99 {}, max {}; handler p50 {} "
      "ns\n",
      name(notify), period, counts.switches, counts.trigger->total, share(0.5), share(0.99),
      share(1), counts.handler_p50_ns.value_or(0));
  // A signal that was queued twice within one delivery ends the next window early, too.
  const std::size_t early = windows.size() - beyond.size();
  CHECK(early <= (notify == Notify::signal ? beyond.size() / 100 : 0));
  // As many windows as the trigger's count has periods, each late by the skid alone.
  CHECK(counts.switches <= counts.trigger->total / period + early + 1);
  CHECK(counts.switches + 1 >= counts.trigger->total / (period + share(1)));
}

}  // namespace

TEST_CASE("hardware: counters and their device are found", "[pmu][found]") {
  needs_counters();
  const Capabilities found = probe_capabilities();
  CHECK_FALSE(found.device.empty());
  CHECK(found.counters >= 1);
  CHECK_FALSE(found.trigger.empty());
  CHECK(std::any_of(found.notify.begin(), found.notify.end(),
                    [](const NotifyStatus& path) { return path.works; }));
  fmt::print("{}, {} counters, trigger {}\n", found.device, found.counters, found.trigger);
}

TEST_CASE("hardware: no window ends before its period, and none much later, by each way",
          "[pmu][windows]") {
  needs_counters();
  for (const Notify notify : {Notify::sigtrap, Notify::signal, Notify::poll})
    for (const std::uint64_t period : {20'000U, 50'000U, 100'000U, 1'000'000U, 10'000'000U})
      check_windows(notify, period);
}

TEST_CASE("hardware: one group counts a loop's instructions within 0.1 %", "[pmu][loop]") {
  needs_counters();
  if (!counts_instructions()) return;
  constexpr std::uint64_t kTurns = 25'000'000;
  const Counts counts = counted(request_of("instructions:u,cycles:u", 0), kTurns);
  CHECK(counts.mode == Mode::counting);
  const EventCount& instructions = counts.events[0];
  REQUIRE(instructions.status == Status::exact);
  fmt::print("instructions of the loop {}, counted {}\n", kInTurn * kTurns, *instructions.total);
  CHECK(static_cast<double>(*instructions.total) ==
        Approx(static_cast<double>(kInTurn * kTurns)).epsilon(1e-3));
}

TEST_CASE(
    "hardware: of three groups that take turns, a loop's instructions are within the interval",
    "[pmu][turns]") {
  needs_counters();
  if (!counts_instructions()) return;
  constexpr std::uint64_t kTurns = 100'000'000;
  for (const bool by_kernel : {false, true}) {
    Request request = request_of(kThreeGroups, 1'000'000);
    request.kernel_switch = by_kernel;
    const Counts counts = counted(request, kTurns);
    const EventCount& instructions = counts.events[0];
    REQUIRE(instructions.total.has_value());
    const auto truth = static_cast<double>(kInTurn * kTurns);
    fmt::print(
        "{:<8} instructions of the loop {}, estimated {} +- {}, {} windows, {:.1f} % counted\n",
        name(counts.mode), kInTurn * kTurns, *instructions.total, instructions.ci95.value_or(0),
        instructions.windows, 100 * instructions.coverage);
    if (by_kernel) continue;  // beside it, for comparison: it has no interval
    REQUIRE(counts.mode == Mode::overflow);
    REQUIRE(instructions.status == Status::ok);
    CHECK(instructions.coverage == Approx(1.0 / 3).margin(0.02));
    // Twice its half width: 1 in 15,000 outside by chance. What the handler executes within a
    // window, some 500 instructions, is truly there.
    const double handler = 1000.0 * static_cast<double>(counts.switches);
    CHECK(std::abs(static_cast<double>(*instructions.total) - truth) <=
          2 * static_cast<double>(*instructions.ci95) + handler);
  }
}

// pmu.cpp: options of what is counted beside the I/Os: hardware and software events.
#include "jobs/options/groups.hpp"

namespace chronio::jobs {
namespace {

template <class T>
constexpr std::uint8_t number(T word) {
  return static_cast<std::uint8_t>(word);
}

constexpr Word kOrders[] = {
    {"shuffled", number(PmuOrder::shuffled)},
    {"preset", number(PmuOrder::preset)},
};
constexpr Word kSwitches[] = {
    {"overflow", number(PmuSwitch::overflow)},
    {"kernel", number(PmuSwitch::kernel)},
};
constexpr Word kPaths[] = {
    {"auto", number(PmuNotify::automatic)},
    {"sigtrap", number(PmuNotify::sigtrap)},
    {"signal", number(PmuNotify::signal)},
    {"poll", number(PmuNotify::poll)},
};
constexpr Word kEstimators[] = {
    {"ratio", number(PmuEstimator::ratio)},
    {"time", number(PmuEstimator::time)},
};

// None of these is in fio. Limits of texts are far above any list that makes sense; they keep a
// mistaken file out of the result.
constexpr OptionRow kRows[] = {
    {.key = "pmu",
     .field = &Job::pmu,
     .maximum = 4096,
     .limit = "some hundred events",
     .help = "count events of the job's threads: off; auto, what can be counted within "
             "pmu_budget; require, end with an error when not all can; or a list as of "
             "pmu_events"},
    {.key = "pmu_events",
     .field = &Job::pmu_events,
     .maximum = 4096,
     .limit = "some hundred events",
     .help = "events and named groups (default, cache, branch, split, stall, os, all), separated "
             "by \",\"; {a,b} counts at the same time, @TRIGGER behind it ends its windows"},
    {.key = "pmu_trigger",
     .field = &Job::pmu_trigger,
     .maximum = 255,
     .limit = "one event",
     .help = "event whose overflow gives the counters to the next group; auto: instructions, "
             "cycles or task-clock"},
    {.key = "pmu_period",
     .field = &Job::pmu_period,
     .maximum = 1'000'000'000'000,
     .limit = "minutes of instructions",
     .help = "events of the trigger until it overflows; 0: measured in the ramp"},
    {.key = "pmu_order",
     .field = &Job::pmu_order,
     .words = kOrders,
     .help = "order of the groups: anew for each round, or as listed"},
    {.key = "pmu_jitter",
     .field = &Job::pmu_jitter,
     .unit = Unit::percent,
     .maximum = 90,
     .limit = "a window needs some length",
     .help = "how far each period is drawn from pmu_period"},
    {.key = "pmu_switch",
     .field = &Job::pmu_switch,
     .words = kSwitches,
     .help = "what ends a group's turn: the trigger, or the kernel's timer"},
    {.key = "pmu_notify",
     .field = &Job::pmu_notify,
     .words = kPaths,
     .help = "how an overflow is told: by a trap or a signal to the thread, or to a thread that "
             "polls; auto: the first that works"},
    {.key = "pmu_budget",
     .field = &Job::pmu_budget,
     .unit = Unit::percent,
     .minimum = 1,
     .maximum = 100,
     .help = "most CPU time that counting may take; periods become longer, and what only "
             "pmu=auto asked for is dropped"},
    {.key = "pmu_estimator",
     .field = &Job::pmu_estimator,
     .words = kEstimators,
     .help = "what totals are in proportion to: the trigger's events, or CPU time"},
    {.key = "pmu_log", .field = &Job::pmu_log, .help = "keep every window in the result file"},
};

}  // namespace

std::span<const OptionRow> pmu_options() { return kRows; }

}  // namespace chronio::jobs

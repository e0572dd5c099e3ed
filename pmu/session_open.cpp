// session_open.cpp: which events can be counted, in which groups, and how their overflows are told.
#include "pmu/probe.hpp"
#include "pmu/session.hpp"
#include "pmu/trial.hpp"

#include <algorithm>
#include <cerrno>
#include <linux/perf_event.h>
#include <unistd.h>

namespace chronio::pmu {
namespace {

constexpr std::uint64_t kNoOverflow = std::uint64_t{1} << 50;
constexpr const char* kByTimer = "groups are switched by the kernel's timer: ";

/// User mode: else it needs permission.
const Event kNothing = {.name = "dummy",
                        .type = PERF_TYPE_SOFTWARE,
                        .config = PERF_COUNT_SW_DUMMY,
                        .kernel = false,
                        .software = true};

/// Its handler makes no such event, or few.
bool is_rare(const Event& trigger) noexcept { return trigger.software && !is_clock(trigger); }

}  // namespace

Session::Session(Request request)
    : request_(std::move(request)),
      thread_(::gettid()),
      sched_path_("/proc/self/task/" + std::to_string(thread_) + "/schedstat") {
  const std::vector<ListedGroup> list = try_events();
  choose_trigger();
  const auto hardware = std::find_if(asked_.begin(), asked_.end(), [](const Asked& asked) {
    return asked.error == 0 && !asked.event.software;
  });
  std::size_t width = kMaxMembers;
  if (hardware != asked_.end()) {
    // Counted with the first event that counts: of processors whose events differ in the counters
    // that can take them, halving finds out the rest.
    counters_ = count_counters(hardware->event, nullptr);
    // The trigger takes one itself, or on some processors a counter of its own: only trying tells.
    width = std::max<std::size_t>(
        1, trigger_ ? count_counters(hardware->event, &*trigger_) : counters_);
  }
  if (!countable_.empty()) place_events(plan_groups(list, trigger_.value_or(Event{}), width));
  measure_switch_cost();
  explain_shortfall();
}

Session::~Session() { close(); }

std::vector<ListedGroup> Session::try_events() {
  std::vector<ListedGroup> list;
  for (ListedGroup group : request_.events) {
    std::vector<Event> counting;
    for (const Event& event : group.events) {
      const Trial trial = try_event(event);
      if (trial.error == 0) {
        countable_.push_back(asked_.size());
        counting.push_back(trial.event);
      }
      asked_.push_back({.event = trial.event, .error = trial.error, .partial = trial.partial});
    }
    group.events = std::move(counting);
    if (!group.events.empty()) list.push_back(std::move(group));
  }
  return list;
}

void Session::choose_trigger() {
  if (countable_.empty()) return;
  Trial trial = request_.trigger ? try_event(*request_.trigger) : default_trigger();
  trigger_error_ = trial.error;
  if (trial.error == 0) trigger_ = std::move(trial.event);
}

Indexes Session::asked(const Indexes& planned) const {
  Indexes indexes;
  indexes.reserve(planned.size());
  for (const std::size_t index : planned) indexes.push_back(countable_[index]);
  return indexes;
}

void Session::place_events(const GroupPlan& plan) {
  // Software events first: they count whatever becomes of the others.
  open_steady(asked(plan.always), true);
  // One group that fits has nothing to take turns with.
  Indexes all = asked(plan.counts_trigger);
  if (plan.rotating.size() == 1)
    for (const std::size_t index : asked(plan.rotating[0].members)) all.push_back(index);
  int error = 0;
  if (plan.rotating.size() <= 1) {
    error = all.empty() ? 0 : -open_group(all, true);
    if (error == 0) {
      mode_ = steady_.empty() ? Mode::none : Mode::counting;
      return;
    }
  }
  if (!request_.kernel_switch && !plan.rotating.empty() && open_rotating(plan)) {
    // It is in each group as its leader, so it needs no place of its own.
    for (const std::size_t index : asked(plan.counts_trigger)) asked_[index].place = Place::trigger;
    mode_ = Mode::overflow;
    return;
  }
  // Better than nothing: totals by time, without an interval.
  if (error != 0) fall_short(kByTimer + why_unavailable(error, true, paranoid_level()));
  open_by_kernel(plan);
  mode_ = steady_.empty() ? Mode::none : Mode::kernel;
}

/// One group of all these: 0 or -errno.
int Session::open_group(const Indexes& events, bool pinned) {
  std::vector<const Event*> opened;
  for (const std::size_t index : events) opened.push_back(&asked_[index].event);
  SteadyGroup group;
  // Until here nothing of the session has changed, so the caller may try a part of the group.
  if (const int error = group.open(opened, pinned); error != 0) return error;
  for (std::size_t i = 0; i < events.size(); ++i) {
    asked_[events[i]].place = Place::steady;
    asked_[events[i]].error = 0;
    asked_[events[i]].group = steady_.size();
    asked_[events[i]].member = i;
  }
  steady_.push_back(std::move(group));
  return 0;
}

/// As many groups as are needed; one that does not fit is halved.
void Session::open_steady(const Indexes& events, bool pinned) {
  std::deque<Indexes> parts;
  for (std::size_t from = 0; from < events.size(); from += kMaxMembers)
    parts.push_back(part(events, from, from + kMaxMembers));
  open_in_halves(
      std::move(parts), [&](const Indexes& members) { return open_group(members, pinned); },
      [&](std::size_t event, int error) { asked_[event].error = -error; });
}

void Session::open_by_kernel(const GroupPlan& plan) {
  for (const PlannedGroup& group : plan.rotating) open_steady(asked(group.members), false);
  open_steady(asked(plan.counts_trigger), false);
}

bool Session::open_rotating(const GroupPlan& plan) {
  int error = choose_notify(plan);
  if (error == 0) error = open_turns(plan);
  if (error == 0) error = start_monitor();
  if (error == 0) {
    make_rotator();
    return true;
  }
  fall_short(kByTimer + why_no_overflow(error));
  monitor_.reset();  // before the leaders that it watches
  backend_.reset();
  group_triggers_.clear();
  group_events_.clear();
  notify_ = Notify::none;
  return false;
}

int Session::open_turns(const GroupPlan& plan) {
  // The first overflow would end the process otherwise.
  if (notify_ != Notify::poll) install_overflow_handlers();
  backend_.emplace(notify_, overflow_signal());
  for (const PlannedGroup& group : plan.rotating)
    add_rotating(plan.triggers[group.trigger], asked(group.members));
  // No event has found a group, so each has its error.
  return backend_->groups() != 0 ? 0 : asked_[countable_[plan.rotating[0].members[0]]].error;
}

/// Before the rotator is made, which is for nothing without it. Nothing overflows until begin().
int Session::start_monitor() {
  if (notify_ != Notify::poll) return 0;
  std::vector<int> leaders;
  for (std::size_t group = 0; group < backend_->groups(); ++group)
    leaders.push_back(backend_->leader(group));
  monitor_.emplace(static_cast<OverflowSink&>(*this));
  return -monitor_->start(leaders);
}

/// 0 when notify_ is a path that works with every trigger, else the errno of the last one tried.
int Session::choose_notify(const GroupPlan& plan) {
  if (trigger_error_ != 0) return trigger_error_;
  int error = 0;
  // The fastest first; a whole switch takes 11.5 us by sigtrap and 18.6 by signal (virtual machine,
  // four software events).
  for (const Notify notify : {Notify::sigtrap, Notify::signal, Notify::poll}) {
    if (request_.notify != Notify::none && request_.notify != notify) continue;
    error = 0;
    // With every trigger: one may raise no interrupt where another does.
    for (const Event& trigger : plan.triggers)
      if (error == 0) error = -try_notify(trigger, notify);
    notify_ = notify;
    if (error == 0) return 0;
  }
  notify_ = Notify::none;
  return error;
}

/// Opens one group: 0, or -errno when it opens but never gets its counters, too.
int Session::add_group(const Event& trigger, const Indexes& members) {
  if (backend_->groups() >= kMaxGroups) return -ENOSPC;
  std::vector<const Event*> opened;
  for (const std::size_t index : members) opened.push_back(&asked_[index].event);
  if (const int error = backend_->add_group(trigger, opened, limits_of(trigger).fallback);
      error != 0)
    return error;
  const std::size_t group = backend_->groups() - 1;
  backend_->arm(group, kNoOverflow);
  for (int i = 0; i < 1000; ++i) asm volatile("");
  // It opened, but others may hold the counters: then it would never overflow, and no other group
  // would have its turn.
  if (backend_->harvest(group).running_ns != 0) return 0;
  backend_->remove_group();
  return -EBUSY;
}

/// Opens `members` as one group, or as several where it does not fit.
void Session::add_rotating(const Event& trigger, Indexes members) {
  open_in_halves(
      {std::move(members)},
      [&](const Indexes& half) {
        const int error = add_group(trigger, half);
        if (error != 0) return error;
        group_triggers_.push_back(trigger);
        group_events_.push_back(half);
        return 0;
      },
      [&](std::size_t event, int error) { asked_[event].error = -error; });
}

/// What was asked for, unless a clock can't have it.
std::uint64_t Session::first_period(const Event& trigger) {
  const PeriodLimits& limits = limits_of(trigger);
  if (request_.period == 0) return limits.fallback;
  if (!is_clock(trigger) || request_.period >= limits.shortest) return request_.period;
  fall_short("pmu_period=" + std::to_string(request_.period) +
             " is too short for a clock: " + std::to_string(limits.shortest) + " ns are the least");
  return limits.shortest;
}

void Session::make_rotator() {
  Rotation rotation;
  rotation.order = request_.order;
  rotation.jitter = request_.jitter / 100.0;
  rotation.seed = request_.seed;
  for (std::size_t group = 0; group < backend_->groups(); ++group) {
    const Indexes& members = group_events_[group];
    for (std::size_t i = 0; i < members.size(); ++i) {
      asked_[members[i]].place = Place::rotating;
      asked_[members[i]].group = group;
      asked_[members[i]].member = i;
    }
    rotation.members.push_back(members.size());
    rotation.periods.push_back(first_period(group_triggers_[group]));
    // What different triggers count can't be added up; their time can.
    if (!same_event(group_triggers_[group], group_triggers_[0]))
      request_.estimator = Estimator::time;
  }
  rotation.estimator = request_.estimator;
  // The backend stays where it is: the rotator holds a reference.
  rotator_.emplace(*backend_, std::move(rotation));
  // What a clock or an instruction counts, the handler makes, too: where it takes longer than a
  // window, nothing else would ever run, whatever the budget.
  const bool fast = std::none_of(group_triggers_.begin(), group_triggers_.end(), is_rare);
  guard_.emplace(std::clamp(request_.budget, 1e-4, fast ? 0.5 : 1.0));
  // All at once: the handler can't allocate. 65,536 windows of a thread.
  if (request_.log) log_.resize(std::size_t{1} << 16);
  // Without it nothing is known to be missing, and nothing else changes.
  tells_presence_ = presence_.open({&kNothing}, false) == 0;
}

void Session::fall_short(const std::string& why) {
  // What came first is the cause of the rest, as a rule.
  if (shortfall_.empty()) shortfall_ = why;
}

void Session::explain_shortfall() {
  const int paranoid = paranoid_level();
  for (const Asked& asked : asked_) {
    const int error = asked.error != 0 ? asked.error : asked.partial;
    if (error == 0) continue;
    // The same for each event, so it is told of the machine.
    if (error == ENOENT && !asked.event.software && counters_ == 0)
      return fall_short("no hardware counters in this machine; software events only");
    return fall_short(asked.event.name + ": " +
                      why_unavailable(error, !asked.event.software, paranoid));
  }
}

}  // namespace chronio::pmu

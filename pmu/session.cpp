// session.cpp: the ends of the measured part, the overflow handler, and the watch over the budget.
#include "pmu/session.hpp"

#include "pmu/trial.hpp"
#include "pmu/usage.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <ctime>
#include <fcntl.h>
#include <string>
#include <unistd.h>
#include <utility>

namespace chronio::pmu {
namespace {

/// Not reached in any ramp: of a clock it is 13 days.
constexpr std::uint64_t kNoOverflow = std::uint64_t{1} << 50;
/// Less CPU time says nothing of the rate of context switches.
constexpr std::uint64_t kEnoughToJudge = 20'000'000;  ///< ns of CPU time

std::uint64_t now_ns() noexcept {
  timespec time = {};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

/// CPU time of a thread and how often it was given a CPU, as the scheduler counts. Source: the
/// kernel's Documentation/scheduler/sched-stats.rst, /proc/<pid>/schedstat.
struct SchedStat {
  std::uint64_t cpu_ns = 0, waited_ns = 0, runs = 0;
};

/// Of the thread whose schedstat `path` is; zeros when it can't be read.
SchedStat sched_stat(const std::string& path) noexcept {
  SchedStat stat;
  std::array<char, 128> text = {};
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const ssize_t bytes = ::read(file.get(), text.data(), text.size());
  const char* at = text.data();
  const char* end = at + std::max<ssize_t>(bytes, 0);
  for (std::uint64_t* number : {&stat.cpu_ns, &stat.waited_ns, &stat.runs}) {
    at = std::from_chars(at, end, *number).ptr;
    if (at < end) ++at;
  }
  return stat;
}

}  // namespace

template <class Action>
void Session::apart(Action&& action) noexcept {
  if (!monitor_) return action();
  const std::lock_guard guard(monitor_->lock());
  action();
}

/// By what a context switch does with the events: all stopped, all started. Above the truth by the
/// system calls that it takes here.
void Session::measure_switch_cost() noexcept {
  constexpr int kTries = 8;
  std::uint64_t least = ~std::uint64_t{0};
  for (int i = 0; i < kTries && mode_ != Mode::none; ++i) {
    const std::uint64_t start = now_ns();
    for (SteadyGroup& group : steady_) group.start();
    if (backend_) enable_group(backend_->leader(0));
    for (SteadyGroup& group : steady_) group.stop();
    if (backend_) disable_group(backend_->leader(0));
    // The least: a real switch in between is no cost of the events.
    least = std::min(least, now_ns() - start);
  }
  switch_cost_ns_ = mode_ == Mode::none ? 0 : least;
  if (backend_) static_cast<void>(backend_->harvest(0));  // or the first window had it
}

void Session::ramp() noexcept {
  ramp_ = Mark{now_ns(), thread_usage()};
  // Any group will do: all that is wanted is what its trigger counts, without an overflow.
  if (rotator_ && request_.period == 0) backend_->arm(0, kNoOverflow);
}

void Session::calibrate(const Window& ramp) noexcept {
  if (ramp.running_ns == 0 || ramp.trigger == 0) return;
  const auto trigger = static_cast<double>(ramp.trigger);
  Pace pace;
  pace.trigger_per_cpu_s = trigger * 1e9 / static_cast<double>(ramp.running_ns);
  const std::uint64_t wall_ns = now_ns() - ramp_->wall_ns;
  if (request_.expected_ns != 0 && wall_ns != 0)
    // By wall time, since that is what the length of the measured part is known in: sleep is in
    // both.
    pace.expected_trigger =
        trigger * static_cast<double>(request_.expected_ns) / static_cast<double>(wall_ns);
  for (std::size_t group = 0; group < rotator_->groups(); ++group) {
    // The pace of another trigger is not known: its groups keep their first period.
    if (!same_event(group_triggers_[group], group_triggers_[0])) continue;
    rotator_->set_period(
        group, calibrated_period(pace, rotator_->groups(), limits_of(group_triggers_[group])));
  }
  calibrated_ = true;
}

bool Session::over_budget(std::uint64_t switches, std::uint64_t cpu_ns) const noexcept {
  return request_.droppable && cpu_ns >= kEnoughToJudge &&
         static_cast<double>(switches * switch_cost_ns_) >
             request_.budget * static_cast<double>(cpu_ns);
}

void Session::begin() noexcept {
  energy_.begin();
  if (rotator_ && ramp_ && request_.period == 0) calibrate(backend_->harvest(0));
  begin_ = end_ = {now_ns(), thread_usage()};
  if (ramp_) {
    const Usage used = between(ramp_->usage, begin_.usage);
    dropped_ = over_budget(used.context_switches, used.user_ns + used.system_ns);
  }
  // Given up before the first I/O that is measured.
  if (dropped_) return;
  const SchedStat stat = request_.droppable ? sched_stat(sched_path_) : SchedStat{};
  const std::lock_guard guard(mutex_);
  sched_cpu_ns_ = stat.cpu_ns;
  sched_switches_ = stat.runs;
  measuring_ = true;
  for (SteadyGroup& group : steady_) group.begin();
  if (!rotator_) return;
  // The sink before the first window, which may overflow at once.
  if (notify_ != Notify::poll) set_overflow_sink(this);
  // Around all windows, so that what lies between them is in its time, too.
  if (tells_presence_) presence_.begin();
  apart([this] { rotator_->begin(); });
}

void Session::finish() noexcept {
  const std::lock_guard guard(mutex_);
  if (!measuring_) return;
  measuring_ = false;
  if (rotator_) {
    apart([this] {
      if (rotator_->finish()) log_window(now_ns());
    });
    if (tells_presence_) presence_.stop();
    if (tells_presence_) presence_.read();
    if (notify_ != Notify::poll) set_overflow_sink(nullptr);
  }
  // All are stopped before any is read: reading takes time of its own.
  for (SteadyGroup& group : steady_) group.stop();
  for (SteadyGroup& group : steady_) group.read();
  end_ = {now_ns(), thread_usage()};
  energy_uj_ = energy_.used();
  monitor_.reset();  // an overflow that it has yet to tell of would change what is counted
}

void Session::on_overflow() noexcept {
  // Signals are blocked in their handler, but the thread sanitizer does not hold traps back.
  if (in_handler_.exchange(true, std::memory_order_relaxed)) return;
  // Tells watch() that groups still take turns.
  overflows_.fetch_add(1, std::memory_order_relaxed);
  const std::uint64_t start = now_ns();
  // The thread that decided so must not touch the windows: the next overflow ends them here.
  const bool dropped = dropped_.load(std::memory_order_relaxed);
  const bool taken = dropped ? rotator_->finish() : rotator_->on_overflow();
  if (taken) account(start, now_ns());
  in_handler_.store(false, std::memory_order_relaxed);
}

void Session::account(std::uint64_t start_ns, std::uint64_t end_ns) noexcept {
  const std::uint64_t ns = end_ns - start_ns;
  cost_.add(ns);
  log_window(end_ns);
  const auto cost = static_cast<std::uint64_t>(static_cast<double>(ns) * delivery());
  if (guard_->over(cost, rotator_->last_window().enabled_ns)) stretch();
}

void Session::stretch() noexcept {
  for (std::size_t group = 0; group < rotator_->groups(); ++group) {
    const std::uint64_t period = rotator_->period(group);
    rotator_->set_period(group, period + period / 2 + 1);
  }
}

void Session::log_window(std::uint64_t end_ns) noexcept {
  if (log_.empty()) return;
  // The first windows are kept, not the last: nothing is moved in a handler.
  if (logged_ == log_.size()) {
    ++log_lost_;
    return;
  }
  log_[logged_++] = {end_ns, static_cast<std::uint32_t>(rotator_->last_group()),
                     rotator_->last_window()};
}

/// The handler's whole cost over that of its body, as measured: the kernel's delivery is the rest.
double Session::delivery() const noexcept { return notify_ == Notify::signal ? 5 : 2; }

void Session::watch() noexcept {
  watch_budget();
  end_vain_window();
}

/// Somebody else took the counters of a group: it will never overflow, and no other group would
/// have its turn. What belongs to windows may be touched only where overflows are handled, so the
/// counted thread is sent the signal of one. It lives: it can't end the measured part meanwhile.
void Session::end_vain_window() noexcept {
  const std::lock_guard guard(mutex_);
  if (!measuring_ || !rotator_ || dropped_) return;
  const std::uint64_t overflows = overflows_.load(std::memory_order_relaxed);
  // An overflow since the last look: the group gets its counters, at least now and then.
  if (std::exchange(overflows_seen_, overflows) != overflows || !backend_->starves()) return;
  if (monitor_)
    apart([this] { on_overflow(); });
  else
    ::tgkill(::getpid(), thread_, overflow_signal());
}

void Session::watch_budget() noexcept {
  if (!request_.droppable || dropped_) return;
  const SchedStat stat = sched_stat(sched_path_);
  const std::lock_guard guard(mutex_);
  const std::uint64_t switches = stat.runs - sched_switches_;
  if (!measuring_ || !over_budget(switches, stat.cpu_ns - sched_cpu_ns_)) return;
  dropped_ = true;
  switches_until_drop_ = switches;
  // Their descriptors may be disabled by any thread of the process.
  for (SteadyGroup& group : steady_) group.stop();
}

void Session::close() noexcept {
  const std::lock_guard guard(mutex_);
  measuring_ = false;
  // First: its thread reads what is closed next.
  monitor_.reset();
  for (SteadyGroup& group : steady_) group.close();
  presence_.close();
  if (backend_) backend_->close();
}

std::uint64_t Session::cpu_ns() const noexcept {
  const Usage used = between(begin_.usage, end_.usage);
  return used.user_ns + used.system_ns;
}

}  // namespace chronio::pmu

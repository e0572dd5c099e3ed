// session_counts.cpp: what a session has counted, as plain data.
#include "pmu/probe.hpp"
#include "pmu/session.hpp"
#include "pmu/usage.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>

namespace chronio::pmu {
namespace {

/// not_counted: another time, or with fewer events, it might have been.
Status status_of(int error) noexcept {
  switch (error) {
    case EACCES:
    case EPERM: return Status::no_permission;
    case EBUSY:
    case EMFILE:
    case ENFILE:
    case ENOSPC: return Status::not_counted;
    default: return Status::not_supported;
  }
}

/// 9e18 is below what a signed 64-bit number holds, which llround() needs.
std::uint64_t whole(double value) noexcept {
  return static_cast<std::uint64_t>(std::llround(std::min(value, 9e18)));
}

/// 0 of nothing; never above 1.
double share(std::uint64_t part, std::uint64_t all) noexcept {
  return all == 0 ? 0 : std::min(1.0, static_cast<double>(part) / static_cast<double>(all));
}

/// One more sentence for an event that may have one: that its kernel part is missing holds whatever
/// else does.
void add_reason(std::string& reason, const std::string& more) {
  if (!more.empty()) reason += (reason.empty() ? "" : "; ") + more;
}

constexpr const char* kDropped =
    "counting was given up: it would have taken more of the CPU time than pmu_budget allows";
constexpr const char* kNeverHad = "its group never got its counters";
constexpr const char* kNeverBegan = "the measured part never began";
constexpr const char* kFewWindows = "fewer than four windows allow no interval";
constexpr const char* kNoneCame =
    "a thread saw it in none of its windows, which allows no interval";
constexpr const char* kTooShort = "the measured part was too short for its turn";

}  // namespace

Counts Session::counts() const {
  Counts out;
  out.mode = mode_;
  out.reason = dropped_ ? kDropped : shortfall_;
  if (out.reason.empty() && !began()) out.reason = kNeverBegan;
  out.scope = kOwnThreads;
  out.domain = domain();
  out.counters = static_cast<std::uint32_t>(counters_);
  out.order = request_.order;
  out.jitter = request_.jitter;
  out.notify = notify_;
  // perf's own scaling, whatever was asked for.
  out.estimator = mode_ == Mode::kernel ? Estimator::time : request_.estimator;
  out.seed = request_.seed;
  if (rotator_) tell_switching(out);
  for (const Asked& asked : asked_) out.events.push_back(told(asked));
  out.available = std::any_of(out.events.begin(), out.events.end(),
                              [](const EventCount& event) { return event.total.has_value(); });
  // Two estimates: of overflows and of context switches, at which the kernel saves and loads the
  // events, as long as they count.
  const std::uint64_t switches =
      dropped_ ? switches_until_drop_ : between(begin_.usage, end_.usage).context_switches;
  const auto cost = static_cast<double>(cost_.total_ns()) * delivery() +
                    static_cast<double>(switches * switch_cost_ns_);
  // A job that used no CPU time as far as the kernel counts has no share of it.
  if (mode_ != Mode::none && cpu_ns() > 0)
    out.overhead_percent = 100 * cost / static_cast<double>(cpu_ns());
  out.package_energy_uj = energy_uj_;
  out.log = told_log();
  return out;
}

void Session::tell_switching(Counts& out) const {
  const RotationTotals& totals = rotator_->totals();
  TriggerUse trigger;
  trigger.event = group_triggers_[0].name;
  trigger.period = rotator_->period(0);
  trigger.total = totals.trigger;
  trigger.calibrated = calibrated_;
  trigger.stretched = guard_->stretched();
  out.trigger = trigger;
  out.switches = totals.windows;
  out.windows_dropped = totals.dropped;
  out.spurious = totals.spurious;
  out.handler_p50_ns = cost_.percentile(50);
  out.handler_p99_ns = cost_.percentile(99);
}

EventCount Session::told(const Asked& asked) const {
  EventCount out;
  out.name = asked.event.name;
  const int error = asked.error != 0 ? asked.error : asked.partial;
  // Also where only the kernel's part is missing: the figure is there, and not all of it.
  if (error != 0) out.reason = why_unavailable(error, !asked.event.software, paranoid_level());
  // Before all else: what can't be counted has no other reason.
  if (asked.error != 0) {
    out.status = status_of(asked.error);
    return out;
  }
  // Of what never began, the counters still hold what they counted when they were tried.
  if (dropped_ || !began()) {
    out.reason = dropped_ ? kDropped : kNeverBegan;
    return out;
  }
  switch (asked.place) {
    case Place::steady: tell_steady(asked, out); break;
    case Place::rotating: tell_rotating(asked, out); break;
    case Place::trigger: tell_trigger(out); break;
    case Place::nowhere: out.reason = "no counter was left for it"; break;
  }
  return out;
}

void Session::tell_steady(const Asked& asked, EventCount& out) const {
  const SteadyGroup& group = steady_[asked.group];
  out.counted = group.counted(asked.member);
  out.time_enabled_ns = group.enabled_ns();
  out.time_running_ns = out.counted_ns = group.running_ns();
  out.coverage = share(group.running_ns(), group.enabled_ns());
  if (group.running_ns() == 0) {
    add_reason(out.reason, kNeverHad);
    return;
  }
  out.windows = 1;
  if (group.running_ns() == group.enabled_ns()) {
    out.status = Status::exact;
    out.total = out.counted;
    out.ci95 = 0;
    return;
  }
  out.status = Status::insufficient;
  add_reason(out.reason, "the kernel switched the groups by time, which allows no interval");
  // As perf scales it: counted * enabled / running.
  out.total = whole(static_cast<double>(out.counted) / out.coverage);
}

void Session::tell_rotating(const Asked& asked, EventCount& out) const {
  const Sums& sums = rotator_->series(asked.group, asked.member).sums();
  const Estimate estimate = rotator_->estimate(asked.group, asked.member);
  out.group = static_cast<std::uint32_t>(asked.group);
  out.windows = sums.windows;
  out.counted = sums.counted;
  out.time_enabled_ns = rotator_->totals().ns;
  out.time_running_ns = rotator_->running_ns(asked.group);
  out.counted_ns = sums.ns;
  out.coverage = estimate.coverage;
  // No total, which is not a total of 0.
  if (sums.windows == 0) {
    add_reason(out.reason, rotator_->totals().dropped != 0 ? kNeverHad : kTooShort);
    return;
  }
  // The estimate went through a double: it must not come out below what was counted.
  out.total = std::max(whole(estimate.total), sums.counted);
  add_reason(out.reason, unseen());
  // An interval speaks of the windows alone, not of what none of them saw.
  if (presence().falls_short()) {
    out.status = Status::insufficient;
    return;
  }
  // The total stands, but nobody knows how far off it may be.
  if (!std::isfinite(estimate.half95)) {
    out.status = Status::insufficient;
    add_reason(out.reason, sums.windows < kFewestWindows ? kFewWindows : kNoneCame);
    return;
  }
  // Of what another thread switches, some is always missing.
  out.status = estimate.coverage >= 1 && notify_ != Notify::poll ? Status::exact : Status::ok;
  out.ci95 = whole(std::ceil(estimate.half95));
}

void Session::tell_trigger(EventCount& out) const {
  const RotationTotals& totals = rotator_->totals();
  out.windows = totals.windows;
  out.counted = totals.trigger;
  out.time_enabled_ns = out.time_running_ns = out.counted_ns = totals.ns;
  out.coverage = 1;
  // In windows that were dropped, too: the trigger counted in them as far as it did.
  out.total = totals.trigger;
  std::string missing = unseen();
  if (missing.empty() && totals.dropped != 0)
    missing = "the counters were taken away for some of the time";
  out.status = missing.empty() ? Status::exact : Status::insufficient;
  if (missing.empty()) out.ci95 = 0;
  add_reason(out.reason, missing);
}

/// A handler stops the thread while it switches, another thread does not. CPU time as the scheduler
/// tells it is no measure: of a thread that often sleeps, half may lie before its events start.
Presence Session::presence() const noexcept {
  Presence presence;
  if (tells_presence_) presence.on_cpu_ns = presence_.enabled_ns();
  presence.counted_ns = rotator_->totals().counted_ns;
  if (notify_ != Notify::poll) presence.switching_ns = cost_.total_ns();
  return presence;
}

/// What of the thread's work no window saw, in words; empty where it is little.
std::string Session::unseen() const {
  const bool polls = notify_ == Notify::poll;
  if (!polls && !presence().falls_short()) return {};
  // By whole numbers: no locale, and always one decimal.
  const auto tenths = static_cast<int>(std::lround(1000 * presence().unseen()));
  const std::string part = "about " + std::to_string(tenths / 10) + "." +
                           std::to_string(tenths % 10) + " % of the CPU time ";
  // Where windows were dropped both causes mix, and the graver one is told.
  if (polls && rotator_->totals().dropped == 0)
    return "the groups were switched by another thread, and " + part +
           "passed meanwhile, uncounted";
  // As if the thread had run on: what the host does meanwhile is CPU time to this kernel.
  if (rotator_->totals().dropped == 0)
    return part + "passed between windows, as where a hypervisor takes the CPU away";
  return part + "is in no total: the counters were taken away, and no group counted";
}

std::string Session::domain() const {
  bool user = true, kernel = true, any_user = false, any_kernel = false;
  for (const Asked& asked : asked_) {
    // What is not counted has no say.
    if (asked.place == Place::nowhere) continue;
    user = user && asked.event.user;
    kernel = kernel && asked.event.kernel;
    any_user = any_user || asked.event.user;
    any_kernel = any_kernel || asked.event.kernel;
  }
  if (!any_user && !any_kernel) return "";
  if (user && kernel) return "user+kernel";
  if (!any_kernel) return "user";
  return any_user ? "mixed" : "kernel";
}

std::optional<WindowLog> Session::told_log() const {
  if (log_.empty()) return std::nullopt;
  WindowLog log;
  log.lost = log_lost_;
  for (std::size_t row = 0; row < logged_; ++row) {
    const LogRow& from = log_[row];
    log.end_ns.push_back(from.end_ns);
    log.group.push_back(from.group);
    log.trigger.push_back(from.window.trigger);
    log.running_ns.push_back(from.window.running_ns);
    // Only the group's own events: the rest of the array is unused.
    const auto end =
        from.window.value.begin() + static_cast<std::ptrdiff_t>(group_events_[from.group].size());
    log.values.emplace_back(from.window.value.begin(), end);
  }
  return log;
}

}  // namespace chronio::pmu

// estimate.hpp: what a worker's thread used and what was counted of it, as plain data.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chronio::pmu {

/// Differences of getrusage(RUSAGE_THREAD) over the measured part of a job; threads add up. No
/// rights are needed for it. The kernel counts times in microseconds.
struct Usage {
  std::uint64_t user_ns = 0;
  std::uint64_t system_ns = 0;
  std::uint64_t context_switches = 0;  ///< voluntary and involuntary
  std::uint64_t major_faults = 0;
  std::uint64_t minor_faults = 0;

  /// A job of several threads: each figure is the sum of theirs.
  Usage& operator+=(const Usage& other) noexcept {
    user_ns += other.user_ns;
    system_ns += other.system_ns;
    context_switches += other.context_switches;
    major_faults += other.major_faults;
    minor_faults += other.minor_faults;
    return *this;
  }
};

/// How events were counted. off: nobody asked. none: nothing could be. counting: all fit the
/// counters. overflow: groups took turns, switched by their trigger. kernel: by the kernel's timer.
enum class Mode : std::uint8_t { off, none, counting, overflow, kernel };
/// As the result file spells it.
[[nodiscard]] constexpr const char* name(Mode mode) noexcept {
  constexpr std::array kNames = {"off", "none", "counting", "overflow", "kernel"};
  const auto index = static_cast<std::size_t>(mode);
  return index < kNames.size() ? kNames[index] : "unknown";
}

/// How an overflow reaches the code that switches. none: no way works, or none was looked for.
/// sigtrap: a trap of the thread itself. signal: a real-time signal to the thread. poll: another
/// thread waits and switches.
enum class Notify : std::uint8_t { none, sigtrap, signal, poll };
/// As `pmu_notify=` spells it.
[[nodiscard]] constexpr const char* name(Notify notify) noexcept {
  constexpr std::array kNames = {"none", "sigtrap", "signal", "poll"};
  const auto index = static_cast<std::size_t>(notify);
  return index < kNames.size() ? kNames[index] : "unknown";
}

/// preset: always the same round. shuffled: each round in an order of its own, so that no work can
/// be in step with it, and each group counts in exactly one window of a round.
enum class Order : std::uint8_t { shuffled, preset };
/// As `pmu_order=` spells it.
[[nodiscard]] constexpr const char* name(Order order) noexcept {
  constexpr std::array kNames = {"shuffled", "preset"};
  const auto index = static_cast<std::size_t>(order);
  return index < kNames.size() ? kNames[index] : "unknown";
}

/// What an estimate is proportional to: events of the trigger, or CPU time. The trigger serves
/// better where events come with the work: in simulated work of eleven classes its mean error was
/// 11 to 15 % less.
enum class Estimator : std::uint8_t { ratio, time };
/// As `pmu_estimator=` spells it.
[[nodiscard]] constexpr const char* name(Estimator estimator) noexcept {
  constexpr std::array kNames = {"ratio", "time"};
  const auto index = static_cast<std::size_t>(estimator);
  return index < kNames.size() ? kNames[index] : "unknown";
}

/// exact: counted throughout. ok: estimated, with an interval. insufficient: estimated from too
/// little for one. The others have no total; EventCount::reason says why.
enum class Status : std::uint8_t {
  exact,
  ok,
  insufficient,
  not_counted,
  not_supported,
  no_permission
};
/// As the result file spells it.
[[nodiscard]] constexpr const char* name(Status status) noexcept {
  constexpr std::array kNames = {"exact",         "ok",           "insufficient", "not_counted",
                                 "not_supported", "no_permission"};
  const auto index = static_cast<std::size_t>(status);
  return index < kNames.size() ? kNames[index] : "unknown";
}

/// One event over the measured part of a job. Times are CPU time of the threads in ns.
struct EventCount {
  std::string name;  ///< ":u" is added where only user mode could be counted
  Status status = Status::not_counted;
  std::string reason;                  ///< of a status without a total, or of a part not counted
  std::optional<std::uint32_t> group;  ///< of those that take turns
  /// 1 where it counted throughout.
  std::uint64_t windows = 0;
  /// In its own windows alone, not scaled up.
  std::uint64_t counted = 0;          ///< what the counter said
  std::uint64_t time_enabled_ns = 0;  ///< CPU time of the measured part
  std::uint64_t time_running_ns = 0;  ///< of it, with the event's group on counters
  std::uint64_t counted_ns = 0;       ///< of it, in windows that were kept
  /// 1 where nothing had to be estimated.
  double coverage = 0;  ///< share of the trigger's events, or of the CPU time, in which it counted
  /// Never below what was counted. Absent where nothing was, which is not the same as 0.
  std::optional<std::uint64_t> total;  ///< in the whole measured part
  /// 0 of an exact total; absent where too little was seen for an interval.
  std::optional<std::uint64_t> ci95;  ///< half width of the total's 95 % interval
  bool operator==(const EventCount&) const = default;
};

/// What ended the windows of a job's groups; event and period of the first group where groups have
/// different triggers.
struct TriggerUse {
  std::string event;
  std::uint64_t period = 0;  ///< trigger events per window, at the end
  /// Dropped windows included, as far as it counted in them.
  std::uint64_t total = 0;      ///< trigger events in all windows
  bool calibrated = false;      ///< the period comes from the ramp
  std::uint32_t stretched = 0;  ///< times that it was made longer to keep the budget
  bool operator==(const TriggerUse&) const = default;
};

/// Windows one by one, by columns. All columns have one length; rows are in the order in which
/// windows ended.
struct WindowLog {
  std::vector<std::uint64_t> end_ns;  ///< CLOCK_MONOTONIC
  std::vector<std::uint32_t> group;
  std::vector<std::uint64_t> trigger;
  std::vector<std::uint64_t> running_ns;
  std::vector<std::vector<std::uint64_t>> values;  ///< of the group's events, in their order
  std::uint64_t lost = 0;                          ///< windows that did not fit
  bool operator==(const WindowLog&) const = default;
};

/// Counts::scope where nothing else worked for the job.
inline constexpr const char* kOwnThreads = "the job's own threads";

/// What was counted of a job's threads.
struct Counts {
  bool available = false;  ///< at least one event has a total
  Mode mode = Mode::off;
  std::string reason;  ///< why not all that was asked for, or not as asked: a sentence, else empty
  std::string scope;   ///< whose work is in the figures; behind "; ", whose is not
  /// Modes of the events that are counted; empty when there are none.
  std::string domain;  ///< "user+kernel", "user", "kernel" or "mixed"
  /// Those that somebody else held are not among them.
  std::uint32_t counters = 0;  ///< hardware counters found; 0: none, or not looked for
  /// Absent where no groups took turns by overflow.
  std::optional<TriggerUse> trigger;
  Order order = Order::shuffled;
  std::uint32_t jitter = 0;  ///< percent
  Notify notify = Notify::none;
  Estimator estimator = Estimator::ratio;
  /// With it the order of the groups can be had again.
  std::uint64_t seed = 0;
  /// Windows that were kept, that were dropped because the counters were taken away, and overflows
  /// that came when no group was armed.
  std::uint64_t switches = 0;
  std::uint64_t windows_dropped = 0;
  std::uint64_t spurious = 0;
  /// Of the handler's body, without the signal's delivery; at most an eighth too high.
  std::optional<std::uint64_t> handler_p50_ns, handler_p99_ns;
  /// Share of the threads' CPU time that counting took, in percent; absent when not estimated.
  std::optional<double> overhead_percent;
  /// Of all CPU packages in the measured part, whoever used it; absent where a counter can't be
  /// read.
  std::optional<std::uint64_t> package_energy_uj;
  /// In the order in which they were asked for, those without a total included.
  std::vector<EventCount> events;
  /// Absent unless it was asked for.
  std::optional<WindowLog> log;
  bool operator==(const Counts&) const = default;
};

/// Two events whose ratio means something. By names of generic events; a metric exists where both
/// were counted in the same mode.
struct Metric {
  std::string_view name, numerator, denominator;
};
/// The planner keeps such events in one group, so that both are of the same windows.
inline constexpr std::array kMetrics = {
    Metric{"ipc", "instructions", "cycles"},
    Metric{"branch-miss-rate", "branch-misses", "branches"},
    Metric{"cache-miss-rate", "cache-misses", "cache-references"},
    Metric{"L1-dcache-miss-rate", "L1-dcache-load-misses", "L1-dcache-loads"},
    Metric{"LLC-miss-rate", "LLC-load-misses", "LLC-loads"},
    Metric{"dTLB-miss-rate", "dTLB-load-misses", "dTLB-loads"},
    Metric{"frontend-stalls", "stalled-cycles-frontend", "cycles"},
    Metric{"backend-stalls", "stalled-cycles-backend", "cycles"},
};

/// Whether one event can be counted here. As trying it has shown; no table of processors is asked.
struct EventStatus {
  std::string name;  ///< "cycles", "instructions", "context-switches", ...
  bool hardware = false;
  bool available = false;
  /// Then figures are of another thing than those of both modes: never compare the two.
  bool user_only = false;  ///< kernel mode could not be counted
  std::string reason;  ///< why not, or why only user mode: one sentence with the cure, else empty
};

/// Whether overflows reach a thread by one path. By trying it: arm, overflow, harvest, twice.
struct NotifyStatus {
  Notify notify = Notify::none;
  bool works = false;
  std::string reason;  ///< why it does not
};

/// What this machine and this user can count. Found on the calling thread's CPU: on a hybrid
/// machine another kind of core may differ.
struct Capabilities {
  std::vector<EventStatus> events;
  std::string device;          ///< the PMU of the CPUs: "cpu", "armv8_pmuv3_0", ...; "" without
  std::uint32_t counters = 0;  ///< events of it that count at the same time
  /// kernel.perf_event_paranoid; absent where it can't be read.
  std::optional<int> paranoid;
  std::string trigger;  ///< event that `notify` was tried with; "" when there is none
  std::vector<NotifyStatus> notify;
};

}  // namespace chronio::pmu

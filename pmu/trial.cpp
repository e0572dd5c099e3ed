// trial.cpp: opens, spins and reads.
#include "pmu/trial.hpp"

#include "pmu/overflow_monitor.hpp"
#include "pmu/perf_backend.hpp"
#include "pmu/perf_event.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <linux/perf_event.h>
#include <optional>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace chronio::pmu {
namespace {

// A trial ends when it has had both: a CPU that is emulated or shared does little in its time.
constexpr std::uint64_t kLongestTestNs = 100'000'000;
constexpr int kFewestRounds = 500;

/// Of the calling thread: on a busy machine others have the CPU meanwhile, and the monitor's thread
/// is one of them.
std::uint64_t cpu_ns() noexcept {
  timespec time = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

void spin() noexcept {
  for (int i = 0; i < 10'000; ++i) asm volatile("");
}

/// Some of whatever a trigger may count: instructions, system calls, page faults, switches.
void exercise() noexcept {
  constexpr std::size_t kPage = 4096;
  spin();
  void* page = ::mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return;
  *static_cast<volatile char*>(page) = 1;
  ::munmap(page, kPage);
}

/// 0, or the errno that says why the calling thread can't count `event`.
int try_once(const Event& event) noexcept {
  const Descriptor fd(open_event(event, {}));
  if (fd.get() < 0) return -fd.get();
  spin();
  GroupReading reading;
  if (const int error = read_group(fd.get(), reading); error != 0) return -error;
  // It opened: nothing is wrong with the event, somebody has the counters.
  return reading.running_ns > 0 ? 0 : EBUSY;
}

/// True when `count` of `event` beside `trigger` count as one group that may not take turns.
/// Opening the group is not enough: the kernel checks it against counters that others hold only
/// when it runs.
bool fits(const Event& event, const Event* trigger, std::size_t count) {
  std::vector<Descriptor> group;
  for (std::size_t i = 0; i < count + (trigger != nullptr ? 1 : 0); ++i) {
    OpenAs as;
    // Else the kernel would let the events take turns, and any number would fit.
    as.pinned = group.empty();
    as.leader = group.empty() ? -1 : group.front().get();
    const int fd = open_event(trigger != nullptr && i == 0 ? *trigger : event, as);
    if (fd < 0) return false;
    group.emplace_back(fd);
  }
  spin();
  GroupReading reading;
  // Less than all of the time is a counter that others took.
  return read_group(group.front().get(), reading) == 0 && reading.running_ns > 0 &&
         reading.running_ns == reading.enabled_ns;
}

/// Harvests and arms again, as a rotation would.
class TrialSink final : public OverflowSink {
 public:
  explicit TrialSink(PerfBackend& backend, std::uint64_t period) noexcept
      : backend_(backend), period_(period) {}

  void start() noexcept { backend_.arm(0, period_); }
  void stop() noexcept { static_cast<void>(backend_.harvest(0)); }
  void on_overflow() noexcept override {
    const Window window = backend_.harvest(0);
    // A signal may be queued twice: a window in which nothing was counted proves nothing.
    if (window.trigger != 0) overflows_.fetch_add(1, std::memory_order_relaxed);
    if (!done()) backend_.arm(0, period_);
  }
  [[nodiscard]] bool done() const noexcept {
    // The first shows that overflows are told, the second that the group can be armed anew.
    return overflows_.load(std::memory_order_relaxed) >= 2;
  }

 private:
  PerfBackend& backend_;
  std::uint64_t period_;
  std::atomic<int> overflows_{0};
};

int run_trial(PerfBackend& backend, TrialSink& sink, Notify notify) {
  std::optional<OverflowMonitor> monitor;
  if (notify == Notify::poll) {
    monitor.emplace(sink);
    if (const int error = monitor->start({backend.leader(0)}); error != 0) return error;
  } else {
    install_overflow_handlers();
    set_overflow_sink(&sink);
  }
  const std::uint64_t start = cpu_ns();
  sink.start();
  for (int round = 0; !sink.done() && (round < kFewestRounds || cpu_ns() - start < kLongestTestNs);
       ++round)
    exercise();
  // Before the harvest below: its thread would harvest, too.
  monitor.reset();
  set_overflow_sink(nullptr);
  sink.stop();
  return sink.done() ? 0 : -ETIME;
}

}  // namespace

Trial try_event(const Event& event) {
  Trial trial{.event = event, .error = 0, .partial = 0};
  Event user_only = event;
  user_only.user = true;
  user_only.kernel = false;
  if (!event.kernel_only) trial.error = try_once(user_only);
  if (trial.error != 0 || !event.kernel) return trial;
  const int error = try_once(event);
  if (error == 0) return trial;
  const bool falls_back = event.user && !event.kernel_only;
  // The kernel counts a clock whole whatever is excluded, so user mode alone is no smaller figure.
  const bool whole = is_clock(event);
  if (!whole) (falls_back ? trial.partial : trial.error) = error;
  if (!falls_back) return trial;
  trial.event = user_only;
  if (whole) return trial;
  trial.event.name += ":u";
  return trial;
}

std::size_t count_counters(const Event& event, const Event* trigger) {
  std::size_t count = 0;
  while (count < kMaxMembers && fits(event, trigger, count + 1)) ++count;
  return count;
}

int try_notify(const Event& trigger, Notify notify) {
  // Not by trying: a trap that can't wait ends the process.
  if (notify == Notify::sigtrap && !traps_can_wait()) return -EINVAL;
  // exercise() makes few rare events a round; a clock's shortest period is 100 us.
  const std::uint64_t period = trigger.software && !is_clock(trigger) ? 8 : 100'000;
  PerfBackend backend(notify, overflow_signal());
  if (const int error = backend.add_group(trigger, {}, period); error != 0) return error;
  TrialSink sink(backend, period);
  return run_trial(backend, sink, notify);
}

const PeriodLimits& limits_of(const Event& trigger) noexcept {
  if (is_clock(trigger)) return kClockTrigger;
  return trigger.software ? kRareTrigger : kFastTrigger;
}

Trial default_trigger() {
  Trial trial;
  // In the order of how well they tell the work that was done; the clock is there on every machine.
  for (const char* name : {"instructions", "cycles", "task-clock"}) {
    trial = try_event(*find_event(name, {}).event);
    if (trial.error == 0) return trial;
  }
  return trial;
}

}  // namespace chronio::pmu

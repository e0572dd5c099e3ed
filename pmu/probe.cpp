// probe.cpp: tries each generic event, the counters, and the paths of notification.
#include "pmu/probe.hpp"

#include "pmu/sysfs_event.hpp"
#include "pmu/trial.hpp"

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <linux/perf_event.h>
#include <system_error>

namespace chronio::pmu {
namespace {

/// Generic names are always found, without any sysfs.
EventStatus probe_event(std::string_view name, int paranoid) {
  const Event event = *find_event(name, {}).event;
  const Trial trial = try_event(event);
  EventStatus status;
  status.name = name;
  status.hardware = !event.software;
  status.available = trial.error == 0;
  status.user_only = trial.partial != 0;
  const int error = trial.error != 0 ? trial.error : trial.partial;
  if (error != 0) status.reason = why_unavailable(error, status.hardware, paranoid);
  return status;
}

std::string not_permitted(int paranoid) {
  const std::string level =
      paranoid == kUnknownLevel
          ? "kernel.perf_event_paranoid can't be read but forbids"
          : "kernel.perf_event_paranoid=" + std::to_string(paranoid) + " forbids";
  // 2 is the kernel's own highest level; distributions add higher ones.
  const char* what =
      paranoid > 2 ? " this user to count anything" : " this user to count the kernel's part";
  return level + what + "; sysctl kernel.perf_event_paranoid=1 or CAP_PERFMON permits it";
}

/// The PMU of the CPUs by sysfs: the one that raw events go to, or that has an event for cycles. By
/// what it has, not by its name, which differs from one processor to the next.
std::string find_device() {
  namespace fs = std::filesystem;
  std::error_code error;
  for (fs::directory_iterator at("/sys/bus/event_source/devices", error), end; !error && at != end;
       at.increment(error)) {
    std::uint32_t type = PERF_TYPE_MAX;
    std::ifstream(at->path() / "type") >> type;
    const fs::path events = at->path() / "events";
    // On x86 the PMU's type is that of raw events; on arm64 it is a number of its own.
    if (type == PERF_TYPE_RAW || fs::exists(events / "cpu_cycles", error) ||
        fs::exists(events / "cpu-cycles", error))
      return at->path().filename();
  }
  return {};
}

/// Events of the PMU that count at the same time, tried with the first that counts at all. 0 also
/// where no hardware event counts.
std::uint32_t find_counters(const std::vector<EventStatus>& events) {
  for (const EventStatus& event : events) {
    if (!event.hardware || !event.available) continue;
    const Trial trial = try_event(*find_event(event.name, {}).event);
    return static_cast<std::uint32_t>(count_counters(trial.event, nullptr));
  }
  return 0;
}

NotifyStatus probe_notify(const Event& trigger, Notify notify) {
  const int error = -try_notify(trigger, notify);
  return {notify, error == 0, error == 0 ? std::string() : why_no_overflow(error)};
}

}  // namespace

int paranoid_level() {
  int level = kUnknownLevel;
  std::ifstream("/proc/sys/kernel/perf_event_paranoid") >> level;
  return level;
}

std::vector<EventStatus> probe_events() {
  const int paranoid = paranoid_level();
  std::vector<EventStatus> events;
  for (const std::string_view name : generic_event_names())
    events.push_back(probe_event(name, paranoid));
  return events;
}

Capabilities probe_capabilities() {
  Capabilities found;
  found.events = probe_events();
  found.device = find_device();
  if (const int level = paranoid_level(); level != kUnknownLevel) found.paranoid = level;
  found.counters = find_counters(found.events);
  // By the trigger that a job would get: a way may work with one and not with another.
  const Trial trigger = default_trigger();
  if (trigger.error != 0) return found;
  found.trigger = trigger.event.name;
  for (const Notify notify : {Notify::sigtrap, Notify::signal, Notify::poll})
    found.notify.push_back(probe_notify(trigger.event, notify));
  return found;
}

std::string why_no_overflow(int error) {
  switch (error) {
    case ETIME: return "no overflow came within 100 ms of CPU time";
    case EINVAL: return "this kernel does not know this way to tell of overflows";
    case EOPNOTSUPP: return "the counters of this machine raise no interrupt";
    case ENOBUFS:
      return "more memory to tell of overflows would be locked than sysctl "
             "kernel.perf_event_mlock_kb allows; count fewer groups or threads";
    case EAGAIN:
      return "no thread could be started to wait for overflows; raise ulimit -u or pids.max";
    default: return why_unavailable(error, true, paranoid_level());
  }
}

std::string why_unavailable(int error, bool hardware, int paranoid) {
  switch (error) {
    // Told with kernel mode excluded: otherwise it hides behind EACCES (trial.hpp).
    case ENOENT:
    case ENODEV:
      return hardware
                 ? "no hardware counter for it in this machine; a virtual machine has some when "
                   "its host gives it a PMU"
                 : "this kernel does not know the event; a newer one may";
    case EACCES: return not_permitted(paranoid);
    // Asking for less does not help here: seccomp refuses the call whatever it asks for.
    case EPERM:
      return "a seccomp filter, as containers have by default, or a security module forbids "
             "perf_event_open; start the container with CAP_PERFMON";
    case ENOSYS:
      return "this kernel has no perf_event_open; it needs to be built with CONFIG_PERF_EVENTS";
    case EOPNOTSUPP:
      return "the counters of this machine can't count it in this way; use another event";
    case EINVAL: return "the kernel refuses this kind of counting; a newer kernel may know it";
    case ENOSPC: return "all counters that can count it are taken; count fewer events at once";
    // No errno of the open, which succeeds: the group then gets no counters.
    case EBUSY:
      return "another user holds the counters; sysctl kernel.nmi_watchdog=0 frees one, ending "
             "other profilers the rest";
    case EMFILE:
    case ENFILE: return "no file descriptor is left; raise the limit with ulimit -n";
    default: return "perf_event_open failed: " + std::generic_category().message(error);
  }
}

}  // namespace chronio::pmu

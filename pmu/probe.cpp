// probe.cpp: opens each event once by perf_event_open(2), which no library wraps.
#include "pmu/probe.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>

namespace chronio::pmu {
namespace {

struct Event {
  const char* name;
  std::uint32_t type;
  std::uint64_t config;
  bool in_kernel;  ///< happens in kernel mode only: excluding that counts nothing
};

constexpr std::array kEvents = {
    Event{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false},
    Event{"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, false},
    Event{"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, false},
    Event{"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, false},
    Event{"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, false},
    Event{"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, false},
    Event{"stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
          false},
    Event{"stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
          false},
    Event{"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, false},
    Event{"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, true},
    Event{"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, true},
    Event{"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, false},
    Event{"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, false},
};

/// With PERF_FORMAT_TOTAL_TIME_ENABLED and _RUNNING, as perf_event_open(2) lays it out.
struct Reading {
  std::uint64_t value = 0;
  std::uint64_t enabled_ns = 0;
  std::uint64_t running_ns = 0;
};

/// Whether the event got a counter: opening also succeeds when others, such as the NMI
/// watchdog, hold all counters, and the event then never runs.
bool runs(int fd) noexcept {
  for (int i = 0; i < 10'000; ++i) asm volatile("");
  Reading reading;
  if (::read(fd, &reading, sizeof reading) != sizeof reading) return false;
  return reading.running_ns > 0;
}

/// 0, or the errno that says why the calling thread can't count `event`.
int try_event(const Event& event, bool user_only) noexcept {
  perf_event_attr attr = {};
  attr.size = sizeof attr;
  attr.type = event.type;
  attr.config = event.config;
  attr.exclude_kernel = user_only ? 1 : 0;
  attr.exclude_hv = 1;
  attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  const long fd = ::syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (fd < 0) return errno;
  const bool counted = runs(static_cast<int>(fd));
  ::close(static_cast<int>(fd));
  return counted ? 0 : EBUSY;
}

int read_paranoid() {
  int level = -2;
  std::ifstream("/proc/sys/kernel/perf_event_paranoid") >> level;
  return level;
}

EventStatus probe_event(const Event& event, int paranoid) {
  EventStatus status;
  status.name = event.name;
  status.hardware = event.type == PERF_TYPE_HARDWARE;
  // Without the kernel's part first: where that part is forbidden, asking for it gives EACCES even
  // when there is no PMU at all.
  const int user_error = try_event(event, true);
  const int error = user_error != 0 ? user_error : try_event(event, false);
  status.user_only = user_error == 0 && error != 0 && !event.in_kernel;
  status.available = error == 0 || status.user_only;
  if (error != 0) status.reason = why_unavailable(error, status.hardware, paranoid);
  return status;
}

std::string not_permitted(int paranoid) {
  const std::string level =
      paranoid == -2 ? "kernel.perf_event_paranoid can't be read but forbids"
                     : "kernel.perf_event_paranoid=" + std::to_string(paranoid) + " forbids";
  // 2 is the kernel's own highest level; distributions add higher ones.
  const char* what =
      paranoid > 2 ? " this user to count anything" : " this user to count the kernel's part";
  return level + what + "; sysctl kernel.perf_event_paranoid=1 or CAP_PERFMON permits it";
}

}  // namespace

std::vector<EventStatus> probe_events() {
  const int paranoid = read_paranoid();
  std::vector<EventStatus> events;
  events.reserve(kEvents.size());
  for (const Event& event : kEvents) events.push_back(probe_event(event, paranoid));
  return events;
}

std::string why_unavailable(int error, bool hardware, int paranoid) {
  switch (error) {
    case ENOENT:
    case ENODEV:
      return hardware
                 ? "no hardware counter for it in this machine; a virtual machine has some when "
                   "its host gives it a PMU"
                 : "this kernel does not know the event; a newer one may";
    case EACCES: return not_permitted(paranoid);
    case EPERM:
      return "a seccomp filter, as containers have by default, or a security module forbids "
             "perf_event_open; start the container with CAP_PERFMON";
    case ENOSYS:
      return "this kernel has no perf_event_open; it needs to be built with CONFIG_PERF_EVENTS";
    case EOPNOTSUPP:
      return "the counters of this machine can't count it in this way; use another event";
    case EINVAL: return "the kernel refuses this kind of counting; a newer kernel may know it";
    case ENOSPC: return "all counters that can count it are taken; count fewer events at once";
    case EBUSY:
      return "another user holds the counters; sysctl kernel.nmi_watchdog=0 frees one, ending "
             "other "
             "profilers the rest";
    case EMFILE:
    case ENFILE: return "no file descriptor is left; raise the limit with ulimit -n";
    default: return "perf_event_open failed: " + std::generic_category().message(error);
  }
}

}  // namespace chronio::pmu

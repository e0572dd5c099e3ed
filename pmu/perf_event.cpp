// perf_event.cpp: fills perf_event_attr; no library wraps the call.
#include "pmu/perf_event.hpp"

#include <cerrno>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace chronio::pmu {
namespace {

int result_of(int answer) noexcept { return answer < 0 ? -errno : 0; }

perf_event_attr attr_of(const Event& event, const OpenAs& as) noexcept {
  perf_event_attr attr = {};
  attr.size = sizeof attr;
  attr.type = event.type;
  attr.config = event.config;
  attr.config1 = event.config1;
  attr.config2 = event.config2;
  attr.bp_type = event.bp_type;
  attr.exclude_user = event.user ? 0 : 1;
  attr.exclude_kernel = event.kernel ? 0 : 1;
  attr.exclude_hv = 1;
  // A member that is disabled would not count when its leader starts.
  attr.disabled = as.disabled ? 1 : 0;
  attr.pinned = as.pinned ? 1 : 0;
  // One call reads a whole group at one instant, and shows whether it was on counters all the time.
  attr.read_format =
      PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  if (as.period == 0) return attr;
  attr.sample_period = as.period;
  // Each overflow is told: one is a window.
  attr.wakeup_events = 1;
  if (as.notify == Notify::sigtrap) {
    attr.sigtrap = 1;
    attr.remove_on_exec = 1;  // the kernel demands it: the signal must not reach another program
  }
  return attr;
}

/// Sends `signal` to the calling thread, and to no other, whenever `fd` overflows.
int route(int fd, int signal) noexcept {
  // By F_SETOWN the signal would go to any thread of the process.
  f_owner_ex owner = {F_OWNER_TID, static_cast<pid_t>(::syscall(SYS_gettid))};
  if (::fcntl(fd, F_SETFL, O_RDWR | O_NONBLOCK | O_ASYNC) != 0) return -errno;
  if (::fcntl(fd, F_SETSIG, signal) != 0) return -errno;
  return result_of(::fcntl(fd, F_SETOWN_EX, &owner));
}

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

int open_event(const Event& event, const OpenAs& as) noexcept {
  perf_event_attr attr = attr_of(event, as);
  // The calling thread, on whatever CPU it runs.
  const auto fd = static_cast<int>(
      ::syscall(SYS_perf_event_open, &attr, 0, -1, as.leader, PERF_FLAG_FD_CLOEXEC));
  if (fd < 0) return -errno;
  if (as.notify != Notify::signal || as.period == 0) return fd;
  const int error = route(fd, as.signal);
  if (error == 0) return fd;
  ::close(fd);
  return error;
}

int enable_group(int fd) noexcept { return result_of(::ioctl(fd, PERF_EVENT_IOC_ENABLE, 0)); }
int disable_group(int fd) noexcept { return result_of(::ioctl(fd, PERF_EVENT_IOC_DISABLE, 0)); }
int set_period(int fd, std::uint64_t period) noexcept {
  return result_of(::ioctl(fd, PERF_EVENT_IOC_PERIOD, &period));
}

int read_group(int fd, GroupReading& reading) noexcept {
  // More room than the group needs is no error, less would be ENOSPC.
  const ssize_t bytes = ::read(fd, &reading, sizeof reading);
  if (bytes < 0) return -errno;
  // End of file is the error state of a pinned group; enabling it anew ends that.
  return bytes == 0 ? -EBUSY : 0;
}

}  // namespace chronio::pmu

// perf_event.hpp: perf_event_open(2) and its ioctls: no policy. Internal to pmu.
#pragma once

#include "pmu/estimate.hpp"
#include "pmu/event.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace chronio::pmu {

/// A file descriptor that closes itself. -1: none.
class Descriptor {
 public:
  Descriptor() = default;
  /// Takes `fd` over; below 0: none.
  explicit Descriptor(int fd) noexcept : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();

  /// Stays this object's.
  [[nodiscard]] int get() const noexcept { return fd_; }

 private:
  int fd_ = -1;
};

/// How an event of the calling thread is opened. Source of all fields: perf_event_open(2).
struct OpenAs {
  int leader = -1;  ///< descriptor of the group's leader; -1: it leads one itself
  /// Of a leader: members follow it, and need no switch of their own.
  bool disabled = false;  ///< counts only when it is enabled
  /// Of a leader alone; such a group has all of its counters or none.
  bool pinned = false;  ///< fails rather than take turns
  /// Only a leader overflows here; members count.
  std::uint64_t period = 0;  ///< above 0: overflows after so many events
  /// Without a period it has no effect.
  Notify notify = Notify::none;
  int signal = 0;  ///< for Notify::signal: which one is sent to the calling thread
};

/// A descriptor, or -errno. Reading a leader gives its whole group, with times. Of the calling
/// thread on any CPU, closed at exec, not inherited by threads that it starts. Any error of
/// perf_event_open(2) or fcntl(2).
[[nodiscard]] int open_event(const Event& event, const OpenAs& as) noexcept;

// Of a group, by its leader's descriptor: 0 or -errno. May be called in a signal handler.
int enable_group(int fd) noexcept;
int disable_group(int fd) noexcept;
int set_period(int fd, std::uint64_t period) noexcept;

/// What a group's leader reads: number of events, times, and `events` values, the leader's first.
/// Layout of PERF_FORMAT_GROUP with both times; counts since the event was opened. Times are ns of
/// the thread on a CPU while the group was enabled, and of these on counters.
struct GroupReading {
  static constexpr std::size_t kMost = 16;
  std::uint64_t events = 0;
  std::uint64_t enabled_ns = 0;
  std::uint64_t running_ns = 0;
  std::uint64_t value[kMost] = {};
};

/// 0, or -errno; -EBUSY for a pinned group that got no counters. May be called in a signal handler.
/// The kernel tells the latter by an end of file (perf_event_open(2), `pinned`).
/// REQUIRES: the group has at most kMost events.
[[nodiscard]] int read_group(int fd, GroupReading& reading) noexcept;

}  // namespace chronio::pmu

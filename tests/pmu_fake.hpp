// pmu_fake.hpp: a deterministic PMU and the thread that it counts, for the tests of rotation.
#pragma once

#include "pmu/rotator.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace chronio::tests {

/// Events of a group at most.
inline constexpr std::size_t kFakeEvents = 5;

/// A stretch of time in which the thread does one thing: all rates are constant.
struct Segment {
  double ns = 0;
  /// Off the CPU nothing is counted, and a switch by overflow can't happen.
  bool on_cpu = true;
  double trigger = 0;                           ///< events per ns
  std::array<double, kFakeEvents> events = {};  ///< of each member, per ns
};

/// Gives the thread's next segment; false at its end.
using Workload = std::function<bool(Segment&)>;

/// A workload of these segments, once. Copies of it begin where the original is.
inline Workload segments(std::vector<Segment> list) {
  return [list = std::move(list), at = std::size_t{0}](Segment& segment) mutable {
    if (at == list.size()) return false;
    segment = list[at++];
    return true;
  };
}

/// Counts whatever the thread does, in whichever group is armed, without noise: what a rotator gets
/// wrong is then its own. As a Backend it makes no system calls.
class FakePmu {
 public:
  /// `skid`: trigger events from an overflow until the group is stopped.
  explicit FakePmu(double skid = 0) : skid_(skid) {}

  /// Counts `group` from now on, until `period` more trigger events overflow.
  void arm(std::size_t group, std::uint64_t period) noexcept {
    armed_ = static_cast<int>(group);
    left_ = static_cast<double>(period) + skid_;
    start_ = now_;
  }

  /// What was counted since arm(); empty, and a protocol error, when another group is armed.
  pmu::Window harvest(std::size_t group) noexcept {
    pmu::Window window;
    if (static_cast<int>(group) != armed_) {
      ++protocol_errors;
      return window;
    }
    armed_ = -1;
    window.trigger = whole(now_.trigger) - whole(start_.trigger);
    window.enabled_ns = window.running_ns = whole(now_.ns) - whole(start_.ns);
    for (std::size_t i = 0; i < kFakeEvents; ++i)
      window.value[i] = whole(now_.events[i]) - whole(start_.events[i]);
    return window;
  }

  /// Runs the workload; groups are switched by overflow. Returns the wall time in ns.
  template <class Rotator>
  double run(const Workload& workload, Rotator& rotator) {
    return run(workload, rotator, 0);
  }

  /// The same; with `tick_ns` above 0 switched as the kernel does it: by a timer on a fixed grid,
  /// which acts only when it finds the thread running, and else rests until it runs again.
  template <class Rotator>
  double run(const Workload& workload, Rotator& rotator, double tick_ns) {
    double wall = 0, tick = kNever;
    bool was_on = false;
    Segment segment;
    rotator.begin();
    while (workload(segment)) {
      if (tick_ns > 0 && segment.on_cpu && !was_on && tick == kNever)
        tick = (std::floor(wall / tick_ns) + 1) * tick_ns;
      was_on = segment.on_cpu;
      for (double rest = segment.ns; rest > 1e-9;) {
        const double to_tick = tick_ns > 0 ? std::max(0.0, tick - wall) : kNever;
        const bool counts = tick_ns <= 0 && segment.on_cpu && segment.trigger > 0;
        const double to_overflow = counts ? left_ / segment.trigger : kNever;
        const double step = std::min({rest, to_tick, to_overflow});
        if (segment.on_cpu) pass(segment, step);
        wall += step;
        rest -= step;
        if (counts && step == to_overflow) rotator.on_overflow();
        if (step != to_tick) continue;
        if (segment.on_cpu) rotator.on_overflow();
        tick = segment.on_cpu ? tick + tick_ns : kNever;
        was_on = segment.on_cpu;
      }
    }
    rotator.finish();
    return wall;
  }

  /// Calls that a sound rotator does not make.
  int protocol_errors = 0;

  /// What really happened since the beginning: trigger events.
  [[nodiscard]] double trigger() const noexcept { return now_.trigger; }
  /// CPU time in ns.
  [[nodiscard]] double ns() const noexcept { return now_.ns; }
  /// Events of member `index`, whether counted or not.
  [[nodiscard]] double event(std::size_t index) const noexcept { return now_.events[index]; }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  struct Counters {
    double trigger = 0, ns = 0;
    std::array<double, kFakeEvents> events = {};
  };

  // Of totals, not of differences: windows then add up to the whole.
  static std::uint64_t whole(double value) noexcept {
    return static_cast<std::uint64_t>(value + 0.5);
  }

  void pass(const Segment& segment, double ns) noexcept {
    now_.trigger += ns * segment.trigger;
    now_.ns += ns;
    left_ -= ns * segment.trigger;
    for (std::size_t i = 0; i < kFakeEvents; ++i) now_.events[i] += ns * segment.events[i];
  }

  double skid_;
  int armed_ = -1;
  double left_ = 0;
  Counters now_, start_;
};

/// `groups` groups of `members` events each, switched every `period` trigger events. REQUIRES:
/// members <= kFakeEvents.
inline pmu::Rotation rotation_of(std::size_t groups, std::size_t members, std::uint64_t period,
                                 pmu::Order order = pmu::Order::preset) {
  pmu::Rotation rotation;
  rotation.members.assign(groups, members);
  rotation.periods.assign(groups, period);
  rotation.order = order;
  return rotation;
}

}  // namespace chronio::tests

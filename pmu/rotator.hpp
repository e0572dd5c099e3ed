// rotator.hpp: which group counts next, and for how long. Makes no system call and allocates
// nothing after construction: on_overflow() runs in a signal handler.
#pragma once

#include "pmu/estimate.hpp"
#include "pmu/series.hpp"
#include "pmu/window.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace chronio::pmu {

/// What counts: arm() starts a group until its trigger has counted `period` events, harvest() stops
/// it and tells what it counted since it was armed. Both are async-signal-safe.
template <class T>
concept CountingBackend = requires(T& backend, std::size_t group, std::uint64_t period) {
  { backend.arm(group, period) }
  noexcept;
  { backend.harvest(group) }
  noexcept->std::same_as<Window>;
};

/// How to rotate. Both vectors have an element for each group, at least one.
struct Rotation {
  std::vector<std::size_t> members;    ///< of each group: events beside the trigger
  std::vector<std::uint64_t> periods;  ///< of each group: trigger events per window, at least 1
  Order order = Order::shuffled;
  double jitter = 0;  ///< each window's period is drawn from period * (1 +- jitter); below 1
  Estimator estimator = Estimator::ratio;
  std::uint64_t seed = 1;
};

/// Sums over all windows of all groups. What each event counted is in its series.
struct RotationTotals {
  std::uint64_t windows = 0;
  std::uint64_t dropped = 0;  ///< windows in which the counters were taken away
  /// A signal may be under way when the last group is stopped.
  std::uint64_t spurious = 0;  ///< overflows that came when nothing was armed
  std::uint64_t trigger = 0;
  std::uint64_t ns = 0;          ///< CPU time of the thread while a group was armed
  std::uint64_t counted_ns = 0;  ///< of it, in windows that were kept
};

/// Arms one group after the other, in rounds that have each group once, and keeps the sums of each
/// event. One thread at a time, the handler that interrupts it included.
template <CountingBackend Backend>
class Rotator {
 public:
  /// [setup] Allocates all that is ever needed.
  /// REQUIRES: at least one group, members and periods of one length; `backend` outlives this.
  Rotator(Backend& backend, Rotation rotation)
      : backend_(backend),
        rotation_(std::move(rotation)),
        random_(rotation_.seed),
        order_(rotation_.members.size()),
        running_ns_(rotation_.members.size()) {
    for (std::size_t i = 0; i < order_.size(); ++i) {
      order_[i] = i;
      series_.emplace_back(rotation_.members[i]);
    }
  }

  /// Arms the first group.
  /// REQUIRES: not running.
  void begin() noexcept {
    at_ = 0;
    shuffle();
    running_ = true;
    backend_.arm(current(), draw());
  }

  /// [hot] The trigger has overflowed, or never will: takes the window and arms the next group.
  /// Late ones, after finish(), are counted as spurious and change nothing else. Whether a window
  /// was taken.
  bool on_overflow() noexcept {
    if (!running_) {
      ++totals_.spurious;
      return false;
    }
    take(backend_.harvest(current()));
    if (++at_ == order_.size()) {
      at_ = 0;
      shuffle();
    }
    backend_.arm(current(), draw());
    return true;
  }

  /// Takes the window that is still open, and arms none. Harmless when nothing runs. It is shorter
  /// than the others, but trigger and events are those of the same time, so it is kept. Whether a
  /// window was taken.
  bool finish() noexcept {
    if (!running_) return false;
    running_ = false;
    take(backend_.harvest(current()));
    return true;
  }

  /// Windows that begin from now on. `period`: trigger events; 0 counts as 1.
  void set_period(std::size_t group, std::uint64_t period) noexcept {
    rotation_.periods[group] = std::max<std::uint64_t>(period, 1);
  }
  /// Trigger events per window, before jitter.
  [[nodiscard]] std::uint64_t period(std::size_t group) const noexcept {
    return rotation_.periods[group];
  }

  /// The group that is armed.
  /// REQUIRES: begin() was called.
  [[nodiscard]] std::size_t current() const noexcept { return order_[at_]; }
  /// False before begin() and after finish().
  [[nodiscard]] bool running() const noexcept { return running_; }
  [[nodiscard]] std::size_t groups() const noexcept { return order_.size(); }
  /// Not for another thread while groups are switched; so with all readers.
  [[nodiscard]] const RotationTotals& totals() const noexcept { return totals_; }
  /// The window that was taken last, kept or dropped, and its group.
  [[nodiscard]] const Window& last_window() const noexcept { return last_; }
  [[nodiscard]] std::size_t last_group() const noexcept { return last_group_; }
  /// Of one event: `member` counts from 0 in the order that the group's were given in.
  [[nodiscard]] const EventSeries& series(std::size_t group, std::size_t member) const noexcept {
    return series_[group][member];
  }
  /// CPU time in which the group was on counters, dropped windows included.
  [[nodiscard]] std::uint64_t running_ns(std::size_t group) const noexcept {
    return running_ns_[group];
  }
  /// Scaled up to all windows of all groups: what no window saw is not in it.
  [[nodiscard]] Estimate estimate(std::size_t group, std::size_t member) const noexcept {
    const std::uint64_t total =
        rotation_.estimator == Estimator::ratio ? totals_.trigger : totals_.ns;
    return series_[group][member].estimate(static_cast<double>(total));
  }

 private:
  /// The trigger counts in dropped windows, too, as far as it did: totals stay as near to the truth
  /// as they can. Members do not, for their group had not all of the time.
  void take(const Window& window) noexcept {
    last_ = window;
    last_group_ = current();
    totals_.trigger += window.trigger;
    totals_.ns += window.enabled_ns;
    running_ns_[current()] += window.running_ns;
    if (window.running_ns != window.enabled_ns) {
      ++totals_.dropped;
      return;
    }
    if (window.trigger == 0 && window.running_ns == 0) return;  // ended before it began
    ++totals_.windows;
    totals_.counted_ns += window.running_ns;
    const std::uint64_t scale =
        rotation_.estimator == Estimator::ratio ? window.trigger : window.running_ns;
    std::vector<EventSeries>& group = series_[current()];
    for (std::size_t i = 0; i < group.size(); ++i)
      group[i].add(scale, window.trigger, window.value[i], window.running_ns);
  }

  /// Period of the window that begins.
  std::uint64_t draw() noexcept {
    const std::uint64_t period = rotation_.periods[current()];
    if (rotation_.jitter <= 0) return period;
    const double factor = 1 + rotation_.jitter * (2 * random_.unit() - 1);
    return std::max<std::uint64_t>(static_cast<std::uint64_t>(static_cast<double>(period) * factor),
                                   1);
  }

  /// Fisher and Yates. A group may come last in one round and first in the next: what counts is
  /// that each has one window in a round.
  void shuffle() noexcept {
    if (rotation_.order != Order::shuffled) return;
    for (std::size_t i = order_.size(); i-- > 1;)
      std::swap(order_[i], order_[random_.below(i + 1)]);
  }

  /// Not owned.
  Backend& backend_;
  Rotation rotation_;
  Random random_;
  /// Of this round; at_ is the place of the group that is armed.
  std::vector<std::size_t> order_;
  /// By group: perf's time_running, which a switching by time would scale with.
  std::vector<std::uint64_t> running_ns_;
  std::size_t at_ = 0;
  bool running_ = false;
  RotationTotals totals_;
  /// For the log and for the guard of the budget.
  Window last_;
  std::size_t last_group_ = 0;
  /// [group][member].
  std::vector<std::vector<EventSeries>> series_;
};

}  // namespace chronio::pmu

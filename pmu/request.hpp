// request.hpp: what a job asks to be counted, as plain data.
#pragma once

#include "pmu/estimate.hpp"
#include "pmu/event_list.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace chronio::pmu {

/// off: no perf system call is made. automatic: what can be counted. required: all of it as asked,
/// or the run fails.
enum class Need : std::uint8_t { off, automatic, required };

/// Made by the plan and checked there: names are resolved, numbers in range.
struct Request {
  Need need = Need::off;
  /// In the order of the result.
  std::vector<ListedGroup> events;
  bool droppable = false;  ///< nobody named these events: counting ends when it passes the budget
  std::optional<Event> trigger;  ///< absent: instructions, cycles or task-clock, what counts here
  /// Of a clock in ns, of which kClockTrigger.shortest are the least.
  std::uint64_t period = 0;  ///< trigger events per window; 0: calibrated in the ramp
  Order order = Order::shuffled;
  /// Each window's period is drawn from so much around `period`.
  std::uint32_t jitter = 0;  ///< percent of the period, below 100
  /// Time in any case where groups have different triggers: their counts can't be added up.
  Estimator estimator = Estimator::ratio;
  bool kernel_switch = false;  ///< groups are switched by the kernel's timer
  /// A way that does not work here leaves the switching to the kernel's timer.
  Notify notify = Notify::none;  ///< none: the first that works
  /// Windows become longer, or events that nobody named are dropped, when it takes more.
  double budget = 0.01;  ///< share of the thread's CPU time that counting may take
  /// Up to 65,536 of them, from the beginning on.
  bool log = false;        ///< keep every window
  std::uint64_t seed = 1;  ///< of the order
  /// Wall time: of it and the ramp's follows how many windows are to be had.
  std::uint64_t expected_ns = 0;  ///< length of the measured part; 0: not known
};

}  // namespace chronio::pmu

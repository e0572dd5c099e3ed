// period.hpp: how long a window should be. Arithmetic only.
#pragma once

#include <cstddef>
#include <cstdint>

namespace chronio::pmu {

/// Trigger events per window.
struct PeriodLimits {
  std::uint64_t fallback = 1'000'000;  ///< where nothing was measured
  std::uint64_t shortest = 20'000;
  std::uint64_t longest = 50'000'000;
};

/// Of hardware events: what the fallback gives is up to 6,000 windows per CPU-second.
inline constexpr PeriodLimits kFastTrigger = {};
/// Of clocks, whose events are ns. Shorter than `shortest` is not had even where it is asked for:
/// at 10,000 ns the kernel's timer left a virtual machine nothing but its interrupts.
inline constexpr PeriodLimits kClockTrigger = {.shortest = 100'000};
/// Of what happens far more rarely: page faults, system calls.
inline constexpr PeriodLimits kRareTrigger = {.fallback = 100, .shortest = 10, .longest = 50'000};

/// What the ramp told of a thread.
struct Pace {
  double trigger_per_cpu_s = 0;  ///< trigger events per second of CPU time; 0: not measured
  double expected_trigger = 0;   ///< in the whole measured part; 0: not known
};

/// About 1,000 windows per CPU-second, shorter where fewer than 100 per group would come of that,
/// within `limits`. `limits.fallback` where nothing was measured.
[[nodiscard]] std::uint64_t calibrated_period(const Pace& pace, std::size_t groups,
                                              const PeriodLimits& limits) noexcept;

/// Looks, window by window, at what switching costs, and stretches the period while that is above
/// the budget.
class BudgetGuard {
 public:
  /// `budget`: share of the thread's CPU time, above 0.
  explicit BudgetGuard(double budget) noexcept : budget_(budget) {}

  /// [hot] A switch cost `cost_ns` (delivery included) after `window_ns` of CPU time. True: windows
  /// have to become longer by half; the sums begin anew.
  [[nodiscard]] bool over(std::uint64_t cost_ns, std::uint64_t window_ns) noexcept;

  /// How often over() was true.
  [[nodiscard]] std::uint32_t stretched() const noexcept { return stretched_; }

 private:
  static constexpr std::uint32_t kLooks = 32;  ///< windows that make a verdict

  double budget_;
  std::uint64_t cost_ns_ = 0, window_ns_ = 0;
  std::uint32_t windows_ = 0, stretched_ = 0;
};

}  // namespace chronio::pmu

// period.hpp: how long a window should be. Arithmetic only.
#pragma once

#include <cstddef>
#include <cstdint>

namespace chronio::pmu {

/// Trigger events per window where nothing was measured: about 1,000 to 6,000 windows per
/// CPU-second with instructions, 1,000 with a clock, whose events are ns.
inline constexpr std::uint64_t kDefaultPeriod = 1'000'000;

/// What the ramp told of a thread.
struct Pace {
  double trigger_per_cpu_s = 0;  ///< trigger events per second of CPU time; 0: not measured
  double expected_trigger = 0;   ///< in the whole measured part; 0: not known
};

/// About 1,000 windows per CPU-second, shorter where fewer than 100 per group would come of that;
/// between 20,000 and 50 million, or kDefaultPeriod without a pace.
[[nodiscard]] std::uint64_t calibrated_period(const Pace& pace, std::size_t groups) noexcept;

/// Looks, window by window, at what switching costs, and stretches the period while that is above
/// the budget.
class BudgetGuard {
 public:
  /// `budget`: share of the thread's CPU time, above 0.
  explicit BudgetGuard(double budget) noexcept : budget_(budget) {}

  /// [hot] A switch cost `cost_ns` (delivery included) after `window_ns` of CPU time. True: windows
  /// have to become longer by half; the sums begin anew.
  [[nodiscard]] bool over(std::uint64_t cost_ns, std::uint64_t window_ns) noexcept;

  [[nodiscard]] std::uint32_t stretched() const noexcept { return stretched_; }

 private:
  static constexpr std::uint32_t kLooks = 32;  ///< windows that make a verdict

  double budget_;
  std::uint64_t cost_ns_ = 0, window_ns_ = 0;
  std::uint32_t windows_ = 0, stretched_ = 0;
};

}  // namespace chronio::pmu

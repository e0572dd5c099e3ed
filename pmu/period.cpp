// period.cpp: the period from the ramp's pace, and the guard of the budget.
#include "pmu/period.hpp"

#include <algorithm>

namespace chronio::pmu {
namespace {

/// About 1 % of the CPU time where a switch takes 11.5 us, as measured by sigtrap in a virtual
/// machine.
constexpr double kWindowsPerCpuSecond = 1000;
/// Fewer windows make wide intervals: a run of few I/Os gets shorter ones instead.
constexpr double kWindowsPerGroup = 100;

}  // namespace

std::uint64_t calibrated_period(const Pace& pace, std::size_t groups,
                                const PeriodLimits& limits) noexcept {
  if (pace.trigger_per_cpu_s <= 0) return limits.fallback;
  double period = pace.trigger_per_cpu_s / kWindowsPerCpuSecond;
  if (pace.expected_trigger > 0 && groups > 0)
    period =
        std::min(period, pace.expected_trigger / (static_cast<double>(groups) * kWindowsPerGroup));
  return static_cast<std::uint64_t>(std::clamp(period, static_cast<double>(limits.shortest),
                                               static_cast<double>(limits.longest)));
}

bool BudgetGuard::over(std::uint64_t cost_ns, std::uint64_t window_ns) noexcept {
  cost_ns_ += cost_ns;
  window_ns_ += window_ns;
  // Not by one window, which an interrupt may have made dear.
  if (++windows_ < kLooks) return false;
  const bool over =
      static_cast<double>(cost_ns_) > budget_ * static_cast<double>(cost_ns_ + window_ns_);
  // From here on with the longer period alone.
  cost_ns_ = window_ns_ = windows_ = 0;
  stretched_ += over ? 1 : 0;
  return over;
}

}  // namespace chronio::pmu

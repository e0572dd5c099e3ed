// machine.hpp: what this machine and its kernel say about their clocks, before anything is judged.
#pragma once

#include "clock/counter.hpp"

#include <optional>
#include <string>
#include <vector>

namespace chronio::clock {

/// As asked and measured by examine_machine(); a test fills it by hand.
struct Machine {
  std::optional<CounterKind> counter;  ///< the processor's counter, if chronio knows how to read it
  bool allowed = true;      ///< false: PR_SET_TSC makes every read a SIGSEGV; never read it then
  bool invariant = false;   ///< runs at one rate through frequency changes and sleep states
  std::string clocksource;  ///< the kernel's own; empty when sysfs does not say
  double monotonic_cost_ns = 0;      ///< one clock_gettime(CLOCK_MONOTONIC)
  double monotonic_raw_cost_ns = 0;  ///< one clock_gettime(CLOCK_MONOTONIC_RAW)
};

/// [setup] CPUID or the auxiliary vector, prctl(2), sysfs, and the cost of the kernel's clocks.
/// Reads no counter but these clocks.
[[nodiscard]] Machine examine_machine();

/// The kernel's current clocksource; empty when sysfs does not say.
[[nodiscard]] std::string kernel_clocksource();

/// Whether the kernel keeps its own time with the processor's counter. `cost_ns`: one
/// clock_gettime, which tells a vDSO reading from a system call. True for `tsc` and
/// `arch_sys_counter`, and for the clocks of KVM and Hyper-V, which scale the TSC, while they are
/// read by the vDSO.
[[nodiscard]] bool kernel_uses_counter(const std::string& clocksource, double cost_ns);

/// The kernel clock to use in place of a counter: CLOCK_MONOTONIC_RAW, which nothing slews, unless
/// its reading costs more than 1.5 x that of CLOCK_MONOTONIC.
[[nodiscard]] CounterKind kernel_clock(const Machine& machine);

/// Least mean cost in ns of one reading, over a few short batches. An upper bound: the loop around
/// the readings is in it.
/// REQUIRES: a counter of `kind` can be read here.
[[nodiscard]] double read_cost_ns(CounterKind kind);

/// CLOCK_MONOTONIC_RAW in ns. What all deadlines and budgets of this folder are held against: NTP
/// does not slew it.
[[nodiscard]] inline std::uint64_t raw_ns() noexcept {
  return KernelCounter<CLOCK_MONOTONIC_RAW>{}.now();
}

}  // namespace chronio::clock

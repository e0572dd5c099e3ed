// machine.hpp: what this machine and its kernel say about their clocks, before anything is judged.
#pragma once

#include "clock/counter.hpp"

#include <optional>
#include <string>
#include <vector>

namespace chronio::clock {

struct Machine {
  std::optional<CounterKind> counter;  ///< the processor's counter, if chronio knows how to read it
  bool allowed = true;      ///< false: PR_SET_TSC makes every read a SIGSEGV; never read it then
  bool invariant = false;   ///< runs at one rate through frequency changes and sleep states
  std::string clocksource;  ///< the kernel's own; empty when sysfs does not say
  double monotonic_cost_ns = 0;      ///< one clock_gettime(CLOCK_MONOTONIC)
  double monotonic_raw_cost_ns = 0;  ///< one clock_gettime(CLOCK_MONOTONIC_RAW)
};

[[nodiscard]] Machine examine_machine();

/// The kernel's current clocksource; empty when sysfs does not say.
[[nodiscard]] std::string kernel_clocksource();

/// Whether the kernel keeps its own time with the processor's counter.
/// `cost_ns`: one clock_gettime, which tells a vDSO reading from a system call.
[[nodiscard]] bool kernel_uses_counter(const std::string& clocksource, double cost_ns);

/// The kernel clock to use in place of a counter: CLOCK_MONOTONIC_RAW, which nothing slews, unless
/// its reading costs more than 1.5 x that of CLOCK_MONOTONIC.
[[nodiscard]] CounterKind kernel_clock(const Machine& machine);

/// Least mean cost in ns of one reading, over a few short batches.
[[nodiscard]] double read_cost_ns(CounterKind kind);

/// CLOCK_MONOTONIC_RAW in ns.
[[nodiscard]] inline std::uint64_t raw_ns() noexcept {
  return KernelCounter<CLOCK_MONOTONIC_RAW>{}.now();
}

}  // namespace chronio::clock

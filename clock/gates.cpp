// gates.cpp: judges what a machine says and what its counter showed, from recorded samples.
#include "clock/gates.hpp"

#include "clock/text.hpp"

#include <algorithm>

namespace chronio::clock {
namespace {

/// With the cost of a reading: of a hypervisor's clock it is what decided.
std::string clocksource_fault(const Machine& machine) {
  if (machine.clocksource.empty()) {
    return "the kernel's clocksource can't be read from sysfs, so it is unknown whether the kernel "
           "trusts the counter";
  }
  return "the kernel's clocksource is " + machine.clocksource + " (" +
         decimal(machine.monotonic_cost_ns) +
         " ns a reading), so the kernel itself does not keep time with the counter";
}

std::string dearness(double cost_ns) {
  return "one reading costs " + decimal(cost_ns) + " ns: readings are trapped or emulated";
}

std::string coarseness(double granule_ns) {
  return "the counter moves in steps of " + decimal(granule_ns) + " ns; at most " +
         decimal(kLargestGranuleNs) + " ns would do";
}

}  // namespace

std::vector<std::string> failed_gates(const Machine& machine, const CounterFacts& facts) {
  std::vector<std::string> failed;
  if (!machine.invariant) {
    failed.emplace_back("CPUID does not promise that the time-stamp counter runs at one rate");
  }
  // The kernel checks what no process can see: TSC_ADJUST, and readings of each CPU as it comes up.
  if (!kernel_uses_counter(machine.clocksource, machine.monotonic_cost_ns)) {
    failed.push_back(clocksource_fault(machine));
  }
  // A reading that traps to a hypervisor costs about a microsecond. Twice the kernel's clock allows
  // for machines on which everything is slow.
  const double most_ns = std::max(100.0, 2 * machine.monotonic_cost_ns);
  if (facts.read_cost_ns > most_ns) failed.push_back(dearness(facts.read_cost_ns));

  const SeriesFacts& series = facts.series;
  if (series.stuck) failed.emplace_back("the counter stands still");
  if (series.decreases > 0) {
    failed.push_back("the counter ran backwards " + std::to_string(series.decreases) +
                     " times in " + std::to_string(series.readings) + " readings");
  }
  // 0 where the counter stands still, which has been told.
  const double granule_ns = series.granule_ticks * facts.ns_per_tick;
  if (granule_ns > kLargestGranuleNs) failed.push_back(coarseness(granule_ns));
  return failed;
}

std::string why_unreadable(const Machine& machine) {
  if (!machine.counter) return "this processor has no counter that chronio knows how to read";
  if (!machine.allowed) {
    return "prctl(PR_SET_TSC) forbids this process to read the time-stamp counter";
  }
  return {};
}

}  // namespace chronio::clock

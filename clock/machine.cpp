// machine.cpp: asks CPUID, prctl and sysfs, and times the kernel's clocks.
#include "clock/machine.hpp"

#include <algorithm>
#include <fstream>
#include <limits>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/prctl.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace chronio::clock {
namespace {

/// A vDSO reading costs tens of ns; a system call or an emulated device costs more than this.
constexpr double kVdsoNs = 200;

#if defined(__x86_64__)
/// Whether the kernel offers RDTSCP: it may have been switched off (clearcpuid=), and emulators
/// were seen to announce it by CPUID and then not to know it (valgrind 3.19 on a processor without
/// it).
bool kernel_lists_rdtscp() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("flags")) return (line + " ").find(" rdtscp ") != std::string::npos;
  return false;
}

void examine_counter(Machine& machine) {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  // AMD manual volume 3, appendix E: Fn8000_0001 EDX bit 27 RDTSCP, Fn8000_0007 EDX bit 8
  // TscInvariant; Intel's manual has them at the same places.
  const bool rdtscp = __get_cpuid(0x80000001U, &a, &b, &c, &d) != 0 && (d & (1U << 27U)) != 0;
  machine.invariant = __get_cpuid(0x80000007U, &a, &b, &c, &d) != 0 && (d & (1U << 8U)) != 0;
  // Some virtual machines execute RDTSCP without announcing it: what is not announced is not used.
  machine.counter = rdtscp && kernel_lists_rdtscp() ? CounterKind::tscp : CounterKind::fenced_tsc;
  // A kernel that does not know the question forbids nothing.
  int mode = PR_TSC_ENABLE;
  machine.allowed = ::prctl(PR_GET_TSC, &mode) != 0 || mode == PR_TSC_ENABLE;
}
#elif defined(__aarch64__)
void examine_counter(Machine& machine) {
  constexpr unsigned long kHwcap2Ecv = 1UL << 19U;  // HWCAP2_ECV, Linux 5.16
  const bool ordered = (::getauxval(AT_HWCAP2) & kHwcap2Ecv) != 0;
  machine.counter = ordered ? CounterKind::arm_ordered : CounterKind::arm;
  machine.invariant = true;  // by architecture: the system counter has one fixed rate
}
#else
void examine_counter(Machine&) {}
#endif

}  // namespace

Machine examine_machine() {
  Machine machine;
  examine_counter(machine);
  machine.clocksource = kernel_clocksource();
  machine.monotonic_cost_ns = read_cost_ns(CounterKind::monotonic);
  machine.monotonic_raw_cost_ns = read_cost_ns(CounterKind::monotonic_raw);
  return machine;
}

std::string kernel_clocksource() {
  std::ifstream file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  std::string name;
  file >> name;
  return name;
}

bool kernel_uses_counter(const std::string& clocksource, double cost_ns) {
  if (clocksource == "tsc" || clocksource == "arch_sys_counter") return true;
  // The clocks of KVM and Hyper-V scale the guest's TSC. Their vDSO reading, a few tens of ns,
  // works only while the hypervisor declares the TSC stable; without that, each reading is a system
  // call.
  const bool scales_tsc =
      clocksource == "kvm-clock" || clocksource == "hyperv_clocksource_tsc_page";
  return scales_tsc && cost_ns < kVdsoNs;
}

CounterKind kernel_clock(const Machine& machine) {
  // A reading that much dearer would be in every latency: NTP's slewing is the lesser evil.
  const bool raw_is_cheap = machine.monotonic_raw_cost_ns <= 1.5 * machine.monotonic_cost_ns;
  return raw_is_cheap ? CounterKind::monotonic_raw : CounterKind::monotonic;
}

double read_cost_ns(CounterKind kind) {
  // Some microseconds each, so that one at least falls between two interrupts.
  constexpr int kBatches = 8;
  constexpr int kReads = 128;
  return visit_counter(kind, [](auto counter) {
    auto least = std::numeric_limits<std::uint64_t>::max();
    for (int batch = 0; batch < kBatches; ++batch) {
      const std::uint64_t start = raw_ns();
      for (int i = 0; i < kReads; ++i) {
        // now() as in a run: its ordering is part of the cost.
        const std::uint64_t ticks = counter.now();
        asm volatile("" ::"r"(ticks));  // keeps the compiler from dropping the reading
      }
      least = std::min(least, raw_ns() - start);
    }
    return static_cast<double>(least) / kReads;
  });
}

}  // namespace chronio::clock

// affinity.cpp: reads and sets the CPUs of a thread by masks of any size.
#include "clock/affinity.hpp"

#include <cerrno>
#include <cstddef>
#include <sched.h>

namespace chronio::clock {
namespace {

/// An array of cpu_set_t is one mask of as many CPUs as its bytes have bits.
using Mask = std::vector<cpu_set_t>;

std::size_t bytes(const Mask& mask) { return mask.size() * sizeof(cpu_set_t); }
std::size_t bits(const Mask& mask) { return bytes(mask) * 8; }

}  // namespace

std::vector<int> allowed_cpus() {
  // One cpu_set_t has 1,024 CPUs, which is not enough for every machine.
  Mask mask(1);
  // EINVAL: the kernel knows more CPUs than the mask has bits.
  while (::sched_getaffinity(0, bytes(mask), mask.data()) != 0) {
    // Above 128 masks, 131,072 CPUs, EINVAL has to mean something else.
    if (errno != EINVAL || mask.size() > 64) return {};
    mask.assign(mask.size() * 2, cpu_set_t{});
  }
  std::vector<int> cpus;
  for (std::size_t cpu = 0; cpu < bits(mask); ++cpu) {
    if (CPU_ISSET_S(cpu, bytes(mask), mask.data())) cpus.push_back(static_cast<int>(cpu));
  }
  return cpus;
}

bool pin_to(int cpu) {
  const auto wanted = static_cast<std::size_t>(cpu);
  Mask mask(wanted / CPU_SETSIZE + 1);
  CPU_SET_S(wanted, bytes(mask), mask.data());
  return ::sched_setaffinity(0, bytes(mask), mask.data()) == 0;
}

}  // namespace chronio::clock

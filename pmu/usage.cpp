// usage.cpp: getrusage(2) of the calling thread.
#include "pmu/usage.hpp"

#include <sys/resource.h>

namespace chronio::pmu {
namespace {

std::uint64_t ns(const timeval& time) noexcept {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_usec) * 1'000U;
}

}  // namespace

/// By getrusage(2), not by events: with kernel mode excluded the kernel counts no context switch.
Usage thread_usage() noexcept {
  rusage used = {};
  ::getrusage(RUSAGE_THREAD, &used);  // fails only for an unknown `who` or a bad address
  Usage usage;
  usage.user_ns = ns(used.ru_utime);
  usage.system_ns = ns(used.ru_stime);
  // Both kinds: a thread that waits gives its CPU up, one that polls has it taken away.
  usage.context_switches = static_cast<std::uint64_t>(used.ru_nvcsw + used.ru_nivcsw);
  usage.major_faults = static_cast<std::uint64_t>(used.ru_majflt);
  usage.minor_faults = static_cast<std::uint64_t>(used.ru_minflt);
  return usage;
}

Usage between(const Usage& from, const Usage& to) noexcept {
  Usage used;
  used.user_ns = to.user_ns - from.user_ns;
  used.system_ns = to.system_ns - from.system_ns;
  used.context_switches = to.context_switches - from.context_switches;
  used.major_faults = to.major_faults - from.major_faults;
  used.minor_faults = to.minor_faults - from.minor_faults;
  return used;
}

}  // namespace chronio::pmu

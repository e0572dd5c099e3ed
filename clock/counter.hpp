// counter.hpp: the counters that time stamps are read from. A counter is a value type; the worker
// loop is a template on it, so that the choice is made once per worker and never per I/O.
#pragma once

#include "clock/certificate.hpp"

#include <concepts>
#include <cstdint>
#include <ctime>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace chronio::clock {

/// [hot] now() is ordered after every earlier load of the same thread: without that edge, AMD
/// processors were seen to read up to 272 ns early.
template <class C>
concept Counter = requires(const C& counter) {
  { counter.now() } noexcept -> std::same_as<std::uint64_t>;
};

#if defined(__x86_64__)
/// RDTSCP waits for earlier loads by itself.
struct TscpCounter {
  [[nodiscard]] std::uint64_t now() const noexcept {
    unsigned cpu = 0;
    return __rdtscp(&cpu);
  }
};

/// For processors whose CPUID does not offer RDTSCP.
struct FencedTscCounter {
  [[nodiscard]] std::uint64_t now() const noexcept {
    _mm_lfence();
    return __rdtsc();
  }
};
#endif

#if defined(__aarch64__)
/// ISB keeps the read from running ahead of earlier instructions.
struct ArmCounter {
  [[nodiscard]] std::uint64_t now() const noexcept {
    std::uint64_t ticks = 0;
    asm volatile("isb; mrs %0, cntvct_el0" : "=r"(ticks)::"memory");
    return ticks;
  }
};
#endif

/// The kernel's clock; a tick is a nanosecond.
template <clockid_t Id>
struct KernelCounter {
  [[nodiscard]] std::uint64_t now() const noexcept {
    timespec ts = {};
    ::clock_gettime(Id, &ts);
    return static_cast<std::uint64_t>(ts.tv_sec) * 1'000'000'000U +
           static_cast<std::uint64_t>(ts.tv_nsec);
  }
};

}  // namespace chronio::clock

// counter.hpp: the counters that time stamps are read from. A counter is a value type; the worker
// loop is a template on it, so that the choice is made once per worker and never per I/O.
#pragma once

#include "clock/certificate.hpp"

#include <concepts>
#include <cstdint>
#include <ctime>
#include <utility>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace chronio::clock {

/// A reading and the CPU that it was taken on, in one instruction where kTellsCpu says so; else 0.
/// `cpu` and `ticks` can't be of two CPUs then, as they could with sched_getcpu() beside the
/// reading.
struct Stamp {
  std::uint64_t ticks = 0;
  std::uint32_t cpu = 0;  ///< as the kernel numbers it, with the node in higher bits: to compare
};

/// [hot] now() and stamp() are ordered after every earlier load of the same thread: without that
/// edge, AMD processors were seen to read up to 272 ns early. kBits is the width after which the
/// counter wraps. Types are empty and copied freely: all that they know is how to read.
template <class C>
concept Counter = requires(const C& counter) {
  { counter.now() }
  noexcept->std::same_as<std::uint64_t>;
  { counter.stamp() }
  noexcept->std::same_as<Stamp>;
  { C::kBits } -> std::convertible_to<unsigned>;
  { C::kTellsCpu } -> std::convertible_to<bool>;
};

#if defined(__x86_64__)
/// RDTSCP waits for earlier loads by itself. A reading costs 21.9 ns against 20.4 ns of LFENCE and
/// RDTSC and 27.8 ns of clock_gettime (AMD EPYC, family 25, KVM, minimum of batches): the CPU's
/// number comes nearly for nothing.
/// Source: RDTSCP in Intel's manual, volume 2, and in AMD's, volume 3.
struct TscpCounter {
  static constexpr unsigned kBits = 64;
  static constexpr bool kTellsCpu = true;
  [[nodiscard]] std::uint64_t now() const noexcept { return stamp().ticks; }
  [[nodiscard]] Stamp stamp() const noexcept {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    std::uint32_t cpu = 0;
    // The intrinsic wants the CPU in memory: one more instruction for each stamp.
    asm volatile("rdtscp" : "=a"(low), "=d"(high), "=c"(cpu));
    return {high << 32U | low, cpu};
  }
};

/// For processors whose CPUID does not offer RDTSCP. LFENCE is what orders RDTSC after loads: with
/// a locked instruction in its place, two threads of an AMD EPYC saw readings out of order in every
/// run in which they overlapped.
struct FencedTscCounter {
  static constexpr unsigned kBits = 64;
  static constexpr bool kTellsCpu = false;
  [[nodiscard]] Stamp stamp() const noexcept { return {now(), 0}; }
  [[nodiscard]] std::uint64_t now() const noexcept {
    _mm_lfence();
    return __rdtsc();
  }
};
#endif

#if defined(__aarch64__)
/// ISB alone keeps the read behind earlier instructions, DSB behind the completion of earlier
/// loads. The architecture promises 56 bits at least.
/// Source: Arm Architecture Reference Manual, CNTVCT_EL0.
struct ArmCounter {
  static constexpr unsigned kBits = 56;
  static constexpr bool kTellsCpu = false;
  [[nodiscard]] Stamp stamp() const noexcept { return {now(), 0}; }
  [[nodiscard]] std::uint64_t now() const noexcept {
    std::uint64_t ticks = 0;
    asm volatile("dsb ishld; isb; mrs %0, cntvct_el0" : "=r"(ticks)::"memory");
    return ticks;
  }
};

/// CNTVCTSS_EL0 (FEAT_ECV), by its encoding: it can't be read early, so it needs no ISB. DSB keeps
/// it behind the completion of earlier loads.
struct ArmOrderedCounter {
  static constexpr unsigned kBits = 56;
  static constexpr bool kTellsCpu = false;
  [[nodiscard]] Stamp stamp() const noexcept { return {now(), 0}; }
  [[nodiscard]] std::uint64_t now() const noexcept {
    std::uint64_t ticks = 0;
    asm volatile("dsb ishld; mrs %0, s3_3_c14_c0_6" : "=r"(ticks)::"memory");
    return ticks;
  }
};
#endif

/// The kernel's clock; a tick is a nanosecond. Read in user space by the vDSO where the clocksource
/// allows it, else by a system call; fails for no `Id` that is used here.
template <clockid_t Id>
struct KernelCounter {
  static constexpr unsigned kBits = 64;
  static constexpr bool kTellsCpu = false;
  [[nodiscard]] Stamp stamp() const noexcept { return {now(), 0}; }
  [[nodiscard]] std::uint64_t now() const noexcept {
    timespec ts = {};
    ::clock_gettime(Id, &ts);
    return static_cast<std::uint64_t>(ts.tv_sec) * 1'000'000'000U +
           static_cast<std::uint64_t>(ts.tv_nsec);
  }
};

/// The same choice as a value. `tscp` to `arm_ordered` are the processor's, the last two the
/// kernel's.
enum class CounterKind : std::uint8_t {
  tscp,
  fenced_tsc,
  arm,
  arm_ordered,
  monotonic_raw,
  monotonic
};

/// Calls `use` with the counter of that kind by value; returns what it returns. A kind that this
/// processor's architecture lacks gives the kernel's CLOCK_MONOTONIC_RAW. `use` is compiled once
/// for each counter of this architecture, and has to return one type for all.
template <class Use>
decltype(auto) visit_counter(CounterKind kind, Use&& use) {
  switch (kind) {
#if defined(__x86_64__)
    case CounterKind::tscp: return std::forward<Use>(use)(TscpCounter{});
    case CounterKind::fenced_tsc: return std::forward<Use>(use)(FencedTscCounter{});
#endif
#if defined(__aarch64__)
    case CounterKind::arm: return std::forward<Use>(use)(ArmCounter{});
    case CounterKind::arm_ordered: return std::forward<Use>(use)(ArmOrderedCounter{});
#endif
    case CounterKind::monotonic: return std::forward<Use>(use)(KernelCounter<CLOCK_MONOTONIC>{});
    default: return std::forward<Use>(use)(KernelCounter<CLOCK_MONOTONIC_RAW>{});
  }
}

/// True: ticks are ns, and no rate, granule or offset of a processor's counter stands behind them.
[[nodiscard]] constexpr bool is_kernel_clock(CounterKind kind) noexcept {
  return kind == CounterKind::monotonic_raw || kind == CounterKind::monotonic;
}

/// What the certificate calls it: how it is read makes no other source.
[[nodiscard]] constexpr Source source_of(CounterKind kind) noexcept {
  switch (kind) {
    case CounterKind::tscp:
    case CounterKind::fenced_tsc: return Source::tsc;
    case CounterKind::arm:
    case CounterKind::arm_ordered: return Source::arm_counter;
    case CounterKind::monotonic_raw: return Source::monotonic_raw;
    case CounterKind::monotonic: return Source::monotonic;
  }
  return Source::monotonic_raw;
}

/// How it is read, for the certificate. Instructions in their order, or the call.
[[nodiscard]] constexpr const char* how_read(CounterKind kind) noexcept {
  switch (kind) {
    case CounterKind::tscp: return "rdtscp";
    case CounterKind::fenced_tsc: return "lfence+rdtsc";
    case CounterKind::arm: return "dsb+isb+mrs cntvct_el0";
    case CounterKind::arm_ordered: return "dsb+mrs cntvctss_el0";
    case CounterKind::monotonic_raw: return "clock_gettime(CLOCK_MONOTONIC_RAW)";
    case CounterKind::monotonic: return "clock_gettime(CLOCK_MONOTONIC)";
  }
  return "unknown";
}

}  // namespace chronio::clock

// options.hpp: what the user may ask of the clock.
#pragma once

#include <cstdint>
#include <vector>

namespace chronio::clock {

/// fio's clocksource=: what the user asks for.
enum class Choice : std::uint8_t {
  automatic,      ///< the counter when it passes every check, else the kernel's clock
  cpu,            ///< the counter whatever the checks say
  clock_gettime,  ///< the kernel's clock
  gettimeofday,   ///< accepted for fio's job files; the kernel's clock serves it
};

/// How the counters of two CPUs are compared.
enum class Method : std::uint8_t {
  oneway,  ///< stamps exchanged between two threads at a time, until more narrow nothing
  hop,     ///< one thread that moves from CPU to CPU: wide bounds, but needs no second CPU
  cas,     ///< threads on all CPUs whose readings a compare-and-swap puts into one order
};

/// Deadlines are kept: what can't be found out in time is `insufficient`, never waited for.
struct Options {
  Choice choice = Choice::automatic;
  Method method = Method::oneway;
  std::uint32_t quality = 0;  ///< least interleavings of a pair; 0: the method's own
  /// Gates `oneway` alone; the other methods' bounds are wider by nature.
  std::uint64_t tolerance_ns = 250;           ///< largest acceptable offset bound between two CPUs
  std::uint64_t pair_budget_ns = 20'000'000;  ///< wall time that one pair of CPUs may take
  std::uint64_t total_budget_ns = 200'000'000;  ///< wall time that all pairs may take
  /// Passes while jobs are set up; longer ones lower the error of the rate in proportion.
  std::uint64_t calibrate_ns = 20'000'000;  ///< wall time of the first rate fit
  std::vector<int> cpus = {};  ///< CPUs that stamps are taken on; empty: those the process may use
};

}  // namespace chronio::clock

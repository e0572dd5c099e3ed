// timebase.hpp: the clock of this process: chosen and verified once, calibrated, re-checked at the end.
#pragma once

#include "clock/certificate.hpp"
#include "clock/counter.hpp"
#include "clock/scale.hpp"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace chronio::clock {

/// fio's clocksource=: what the user asks for.
enum class Choice : std::uint8_t {
  automatic,       ///< the counter when it passes every check, else the kernel's clock
  cpu,             ///< the counter whatever the checks say
  clock_gettime,   ///< the kernel's clock
  gettimeofday,    ///< accepted for fio's job files; the kernel's clock serves it
};

struct Options {
  Choice choice = Choice::automatic;
  std::uint64_t tolerance_ns = 250;        ///< largest acceptable offset bound between two CPUs
  std::uint64_t pair_budget_ns = 20'000'000;  ///< wall time that one pair of CPUs may take
  std::uint64_t calibrate_ns = 20'000'000;    ///< wall time of the first rate fit
};

/// One per process. init() runs the gates and starts the calibration; calibrated() completes the
/// first fit; add_cluster() refines it during the run; finish() runs the end checks.
/// Threads: scale(), now() and with_counter() may be used by any thread after calibrated(); all else
/// by the thread that called init().
class Timebase {
 public:
  /// Gates, read cost, granule, checks between CPUs, first calibration cluster. Does not throw for a
  /// bad clock: it falls back and says why in the certificate.
  [[nodiscard]] static Timebase init(const Options& options);

  Timebase(Timebase&&) noexcept;
  Timebase& operator=(Timebase&&) noexcept;
  ~Timebase();

  /// Waits until calibrate_ns have passed since init() and fits the rate. Work done between the two
  /// costs no start-up time.
  void calibrated();

  /// One more calibration cluster (about 21 us of CPU); call about every 100 ms during the run.
  void add_cluster();

  /// End checks: rate over the whole run, offset bound, clocksource changed. Updates certificate().
  void finish();

  [[nodiscard]] const Certificate& certificate() const noexcept;
  [[nodiscard]] Certificate& certificate() noexcept;

  /// Fixed by calibrated(); the final rate goes to the certificate and run times, never to bins.
  [[nodiscard]] const TickScale& scale() const noexcept;

  /// Calls `use` with the chosen counter by value; returns what it returns.
  template <class Use>
  decltype(auto) with_counter(Use&& use) const {
    switch (kind()) {
#if defined(__x86_64__)
      case Kind::tscp: return std::forward<Use>(use)(TscpCounter{});
      case Kind::fenced_tsc: return std::forward<Use>(use)(FencedTscCounter{});
#endif
#if defined(__aarch64__)
      case Kind::arm: return std::forward<Use>(use)(ArmCounter{});
#endif
      case Kind::monotonic: return std::forward<Use>(use)(KernelCounter<CLOCK_MONOTONIC>{});
      default: return std::forward<Use>(use)(KernelCounter<CLOCK_MONOTONIC_RAW>{});
    }
  }

  /// One reading, outside hot paths.
  [[nodiscard]] std::uint64_t now() const noexcept {
    return with_counter([](auto counter) { return counter.now(); });
  }

 private:
  enum class Kind : std::uint8_t { tscp, fenced_tsc, arm, monotonic_raw, monotonic };
  struct State;

  explicit Timebase(std::unique_ptr<State> state) noexcept;
  [[nodiscard]] Kind kind() const noexcept;

  std::unique_ptr<State> state_;
};

}  // namespace chronio::clock

// timebase.hpp: the clock of this process: chosen and verified once, calibrated, re-checked at the
// end.
#pragma once

#include "clock/certificate.hpp"
#include "clock/counter.hpp"
#include "clock/options.hpp"
#include "clock/scale.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace chronio::clock {

/// One per process. init() runs the gates and starts the calibration; calibrated() completes the
/// first fit; add_cluster() refines it during the run; finish() runs the end checks.
/// Threads:
/// scale(), now() and with_counter() may be used by any thread after calibrated(); all else by the
/// thread that called init(). It may be moved, but only while nobody else uses it.
class Timebase {
 public:
  /// Gates, read cost, granule, checks between CPUs, first calibration clusters. Does not throw for
  /// a bad clock: it falls back and says why in the certificate. Checks between CPUs end with
  /// options.total_budget_ns at the latest.
  [[nodiscard]] static Timebase init(const Options& options);

  Timebase(const Timebase&) = delete;
  Timebase& operator=(const Timebase&) = delete;
  Timebase(Timebase&&) noexcept;
  Timebase& operator=(Timebase&&) noexcept;
  ~Timebase();

  /// Waits until calibrate_ns have passed since init() and fits the rate. Work done between the two
  /// costs no start-up time. Falls back to the kernel's clock if no rate can be fitted. A second
  /// call does nothing.
  void calibrated();

  /// One more calibration cluster (about 25 us of CPU); call about every 100 ms during the run.
  void add_cluster();

  /// To be called when no worker runs: CPUs are probed again, the newest clusters are held against
  /// the first fit, and the kernel is asked about its clocksource and about sleep. What fails makes
  /// the certificate `suspect`, with a finding that begins with `when`; each event is told once.
  void check(const std::string& when);

  /// check() at the end of the run, and the rate over all of it.
  void finish();

  /// As far as is known: init(), calibrated() and each check bring it up to date.
  [[nodiscard]] const Certificate& certificate() const noexcept;
  /// For what only the run knows (certify_jobs).
  [[nodiscard]] Certificate& certificate() noexcept;

  /// Fixed by calibrated(); the final rate goes to the certificate and run times, never to bins.
  [[nodiscard]] const TickScale& scale() const noexcept;

  /// Multiply a long time that scale() gave by this to have it by the rate of the whole run; 1
  /// before finish() and for the kernel's clocks.
  [[nodiscard]] double correction() const noexcept;

  /// Calls `use` with the chosen counter by value; returns what it returns. Made for a whole loop:
  /// the choice is one switch, before it.
  template <class Use>
  decltype(auto) with_counter(Use&& use) const {
    return visit_counter(kind(), std::forward<Use>(use));
  }

  /// One reading, outside hot paths.
  [[nodiscard]] std::uint64_t now() const noexcept {
    return with_counter([](auto counter) { return counter.now(); });
  }

 private:
  /// In the .cpp, so that those who only read stamps don't see how the clock is examined.
  struct State;

  explicit Timebase(std::unique_ptr<State> state) noexcept;
  [[nodiscard]] CounterKind kind() const noexcept;

  std::unique_ptr<State> state_;
};

}  // namespace chronio::clock

// certificate.hpp: what is known about the clock of a run, as plain data. Goes into every result.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace chronio::clock {

/// Where time stamps come from.
enum class Source : std::uint8_t {
  tsc,            ///< x86 time-stamp counter
  arm_counter,    ///< arm64 CNTVCT_EL0
  monotonic_raw,  ///< kernel CLOCK_MONOTONIC_RAW
  monotonic,      ///< kernel CLOCK_MONOTONIC
};

enum class Verdict : std::uint8_t {
  ok,            ///< the counter passed every check
  fallback,      ///< the counter did not; the kernel's clock is used and `findings` says why
  forced,        ///< the user chose this clock; checks that failed are in `findings`
  suspect,       ///< a check at the end of the run failed; `findings` says which
  insufficient,  ///< the counter is used, but the checks between CPUs gave too little evidence
};

/// Everything is measured unless it says "0: not measured".
struct Certificate {
  Source source = Source::monotonic_raw;
  Verdict verdict = Verdict::fallback;
  std::string read;            ///< how it is read: "lfence+rdtsc", "rdtscp", "clock_gettime", ...
  double read_cost_ns = 0;     ///< one back-to-back read
  double granule_ns = 0;       ///< smallest step seen
  double hz = 0;               ///< ticks per second
  double hz_ppb = 0;           ///< estimated error of hz, parts per billion
  double hz_baseline_s = 0;    ///< length of the interval over which hz was fitted
  double mono_vs_raw_ppb = 0;  ///< rate of CLOCK_MONOTONIC against CLOCK_MONOTONIC_RAW; 0 within
                               ///< the first 0.1 s: not measured
  std::uint32_t cpus = 0;      ///< CPUs that stamps may be taken on
  std::uint32_t pairs_checked = 0;
  std::uint32_t pairs_insufficient =
      0;  ///< pairs whose probes never overlapped: no evidence, not "ok"
  std::optional<double> offset_bound_ns;      ///< no two CPUs' counters differ by more, at start
  std::optional<double> offset_bound_end_ns;  ///< the same at the end of the run
  double probe_ms = 0;                        ///< wall time of the checks between CPUs at start
  std::string kernel_clocksource;             ///< at start
  std::string kernel_clocksource_end;
  std::uint64_t negative_deltas =
      0;  ///< latencies that would have been below zero: counted as 0 ns
  std::vector<std::string> findings;  ///< one sentence each
};

[[nodiscard]] constexpr const char* name(Source source) noexcept {
  switch (source) {
    case Source::tsc: return "tsc";
    case Source::arm_counter: return "arm_counter";
    case Source::monotonic_raw: return "monotonic_raw";
    case Source::monotonic: return "monotonic";
  }
  return "unknown";
}

[[nodiscard]] constexpr const char* name(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::ok: return "ok";
    case Verdict::fallback: return "fallback";
    case Verdict::forced: return "forced";
    case Verdict::suspect: return "suspect";
    case Verdict::insufficient: return "insufficient";
  }
  return "unknown";
}

}  // namespace chronio::clock

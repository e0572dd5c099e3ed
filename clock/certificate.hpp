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

/// What all checks came to. None of them ends a run by itself: figures are kept, with
/// what to doubt.
enum class Verdict : std::uint8_t {
  ok,            ///< the counter passed every check
  fallback,      ///< the counter did not; the kernel's clock is used and `findings` says why
  forced,        ///< the user chose this clock; checks that failed are in `findings`
  suspect,       ///< a check at the end of the run failed; `findings` says which
  insufficient,  ///< the counter is used, but the checks between CPUs gave too little evidence
};

/// The same at the start of the run and at its end.
template <class T>
struct StartEnd {
  T start = {};
  T end = {};
  bool operator==(const StartEnd&) const = default;
};

/// The counter of `second` less that of `first` lies between the two.
struct PairBound {
  int first = 0, second = 0;         ///< CPU numbers
  double least_ns = 0, most_ns = 0;  ///< ns
  bool operator==(const PairBound&) const = default;
};

/// What a figure can't be more certain than, in ns. Beside it, a latency is off by hz_ppb of
/// itself.
struct Uncertainty {
  double single = 0;  ///< of one latency
  /// Of one whose I/O completed on another CPU than it was submitted on; nothing where no bound
  /// between CPUs is known.
  std::optional<double> single_migrated;
  double p50_diff_min = 0;  ///< least difference between two percentiles that means anything
  bool operator==(const Uncertainty&) const = default;
};

/// Everything is measured unless it says "0: not measured".
struct Certificate {
  Source source = Source::monotonic_raw;
  Verdict verdict = Verdict::fallback;
  std::string read;  ///< how it is read: "lfence+rdtsc", "rdtscp", "clock_gettime", ...
  /// The best batch, not the average: what else the machine did meanwhile is no cost of a reading.
  double read_cost_ns = 0;  ///< least mean cost of one reading
  /// It is in every latency and the same on both sides of a comparison, so it is told but never
  /// subtracted.
  double stamp_bias_ns = 0;  ///< mean difference of two readings with nothing between them
  double granule_ns = 0;     ///< smallest step seen
  /// Of the first fit until the run has ended, then of the whole run. Kernel clocks are at exactly
  /// 10^9 by definition, with an error of 0.
  double hz = 0;               ///< ticks per second
  double hz_ppb = 0;           ///< estimated error of hz, parts per billion
  std::string hz_method;       ///< how hz was found
  double hz_baseline_s = 0;    ///< length of the interval over which hz was fitted
  double mono_vs_raw_ppb = 0;  ///< rate of CLOCK_MONOTONIC against CLOCK_MONOTONIC_RAW; 0 within
                               ///< the first 0.1 s: not measured
  std::uint32_t cpus = 0;      ///< CPUs that stamps may be taken on
  std::string method;          ///< how CPUs were compared: "oneway", "hop", "cas"; empty: not
  /// Pairs of CPUs, by the comparison at the start; one CPU alone makes none.
  std::uint32_t pairs_checked = 0;
  std::uint32_t pairs_insufficient =
      0;  ///< pairs whose probes never overlapped: no evidence, not "ok"
  /// Nothing: not known, and of the kernel's clocks, which need no comparison.
  StartEnd<std::optional<double>> offset_bound_ns;  ///< no two CPUs' counters differ by more
  std::vector<PairBound> offsets;         ///< pair by pair, of the last probes; up to 16 CPUs
  bool skew_proven = false;               ///< two CPUs' counters surely differ
  std::optional<double> drift_bound_ppb;  ///< no two CPUs' rates differ by more; at the end
  std::optional<bool> monotone;           ///< no later reading on another CPU was lower
  std::uint64_t loops = 0;  ///< through all CPUs and back, in which `monotone` was looked for
  /// Nothing where a reading does not tell its CPU.
  std::optional<std::uint64_t>
      migrated_ios;  ///< completed on another CPU than they were submitted on
  std::uint64_t negative_deltas =
      0;                ///< latencies that would have been below zero: counted as 0 ns
  double probe_ms = 0;  ///< wall time of the checks between CPUs at start
  /// As sysfs spells it; empty when it does not say.
  StartEnd<std::string> kernel_clocksource;
  bool suspend = false;  ///< the machine slept during the run
  double step_ns = 0;  ///< of the counter against the kernel's clock, by the first rate; at the end
  Uncertainty uncertainty_ns;
  std::vector<std::string> findings;  ///< one sentence each
};

/// As reports and result files spell it. "unknown" for a value that is none of them.
[[nodiscard]] constexpr const char* name(Source source) noexcept {
  switch (source) {
    case Source::tsc: return "tsc";
    case Source::arm_counter: return "arm_counter";
    case Source::monotonic_raw: return "monotonic_raw";
    case Source::monotonic: return "monotonic";
  }
  return "unknown";
}

/// As reports and result files spell it. "unknown" for a value that is none of them.
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

// run_samples.hpp: runs made by hand and by chance, for the tests of results and what builds on
// them.
#pragma once

#include "results/run.hpp"

#include <cstdint>
#include <random>
#include <string>
#include <tuple>
#include <vector>

namespace chronio::tests {

/// Moments and whole histogram of `latencies` (ns), recorded one by one: slow, and independent of
/// how the worker keeps them.
inline results::Distribution distribution_of(const std::vector<std::uint64_t>& latencies) {
  results::Distribution distribution;
  for (const std::uint64_t ns : latencies) {
    distribution.moments.record(ns);
    stats::Counts one;
    if (ns < stats::kLimit) {
      one.buckets = {{stats::bucket_of(ns), 1}};
    } else {
      one.overflow = 1;
    }
    stats::merge(distribution.counts, one);
  }
  return distribution;
}

/// `n` latencies around `middle` ns, the same for the same seed: log-normal, since those of devices
/// have a long tail upwards.
inline std::vector<std::uint64_t> latencies(std::uint64_t n, double middle, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::lognormal_distribution<double> draw(0, 0.5);
  std::vector<std::uint64_t> list;
  for (std::uint64_t i = 0; i < n; ++i)
    list.push_back(static_cast<std::uint64_t>(middle * draw(random)));
  return list;
}

/// A direction with `n` 4 KiB I/Os in one second: clat around `middle` ns with its histogram, slat
/// and lat as moments, as a job with defaults has them.
inline results::Direction direction_of(std::uint64_t n, double middle, std::uint32_t seed) {
  results::Direction direction;
  direction.total_ios = n;
  direction.io_bytes = n * 4096;
  direction.runtime_ns = 1'000'000'000;
  direction.clat = distribution_of(latencies(n, middle, seed));
  direction.slat.moments = distribution_of(latencies(n, middle / 50, seed + 1)).moments;
  direction.lat.moments = distribution_of(latencies(n, middle * 1.02, seed + 2)).moments;
  return direction;
}

/// A random read job as a user would have it, consistent in itself: depths, intervals and the
/// direction are all of `n` I/Os. REQUIRES: n is even.
inline results::Job sample_job(const std::string& name = "sample", std::uint64_t n = 2000) {
  results::Job job;
  job.jobname = name;
  job.rw = "randread";
  job.ioengine = "io_uring";
  job.bs = "4k";
  job.block_size = {4096, 4096, 4096};
  job.iodepth = 32;
  job.options = {{"rw", "randread", "job.fio:2"},
                 {"ioengine", "io_uring", "job.fio:3"},
                 {"iodepth", "32", "command line"},
                 {"bs", "4k", "default"},
                 {"direct", "0", "default"}};
  job.percentile_list = {1, 50, 99, 99.9, 99.99};
  job.runtime_ns = 1'000'000'000;
  job.elapsed_ns = 1'200'000'000;
  job.job_start_ms = 1'790'000'000'000;
  job.directions[0] = direction_of(n, 80'000, 7);
  job.depths.level = {0, 0, 0, 0, 0, n, 0};
  job.depths.submit = {0, n, 0, 0, 0, 0, 0};
  job.depths.complete = {0, n, 0, 0, 0, 0, 0};
  job.depths.depth_sum = n * 32;
  job.usage = {200'000'000, 300'000'000, 17, 0, 42};
  job.intervals = {{0, 500'000'000, {n / 2, 0, 0}, {n / 2 * 4096, 0, 0}},
                   {500'000'000, 500'000'000, {n / 2, 0, 0}, {n / 2 * 4096, 0, 0}}};
  job.targets = {
      {"/data/file", "file", "ext4", "nvme0n1", "A Model", "FW1", "S1", "none", 1U << 30, 512}};
  return job;
}

/// A complete run of that one job by a sound clock.
inline results::Run sample_run() {
  results::Run run;
  run.version = "0.1.0";
  run.timestamp_ms = 1'790'000'001'234;
  run.command_line = {"chronio", "job.fio"};
  run.global_options = {{"bs", "4k", "job.fio:1"}};
  run.jobs = {sample_job()};
  run.host.kernel = "6.1.0";
  run.host.cpu_model = "A CPU";
  run.clock.read = "rdtscp";
  run.clock.source = clock::Source::tsc;
  run.clock.verdict = clock::Verdict::ok;
  return run;
}

/// Runs by chance: every member of every struct takes all kinds of values, whether or not they make
/// sense together. For what has to hold of any run, as that a file reads back to what was written.
class RandomRuns {
 public:
  explicit RandomRuns(std::uint32_t seed) : random_(seed) {}

  results::Run run() {
    results::Run run;
    run.version = text();
    run.timestamp_ms = below(4'000'000'000'000);
    run.command_line = list<std::string>([&] { return text(); });
    run.global_options = options();
    run.jobs = list<results::Job>([&] { return job(); });
    run.host = {text(), text(), text(), text(), small(), text(), text(), number(), text(), -3600};
    run.clock = certificate();
    run.notes = list<std::string>([&] { return text(); });
    run.complete = chance();
    run.stopped_by = text();
    return run;
  }

 private:
  // Not quite uniform, which no test asks for; the same with every library, unlike its
  // distributions.
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  // Half of all times.
  bool chance() { return below(2) == 0; }
  /// All magnitudes alike: a uniform one would nearly always be near 2^64.
  std::uint64_t number() { return random_() >> below(64); }
  std::uint32_t small() { return static_cast<std::uint32_t>(number() >> 32U); }
  // By 977, so that most have no short decimal form: they must read back exactly all the same.
  double real() { return static_cast<double>(number()) / 977.0; }

  // None to three: empty ones are a case of their own.
  template <class T, class Make>
  std::vector<T> list(Make make) {
    std::vector<T> items(below(4));
    for (T& item : items) item = make();
    return items;
  }

  // What JSON escapes, what other formats do, and UTF-8 of two to four bytes.
  std::string text() {
    static const std::vector<std::string> kPieces = {
        "a",    "Z",    " ",      "\"",     "\\",         "/", "\n", "\t",
        "\x01", "\x7f", "\u00e4", "\u20ac", "\U0001F600", "{", "%"};
    std::string text;
    for (std::uint64_t i = below(6); i > 0; --i) text += kPieces[below(kPieces.size())];
    return text;
  }

  std::vector<results::Option> options() {
    std::vector<results::Option> options;
    for (std::uint64_t i = 0; i < below(5); ++i)
      options.push_back({"key" + std::to_string(i) + text(), text(), text()});
    return options;
  }

  // Half of them without a histogram, as slat mostly is.
  results::Distribution distribution() {
    std::vector<std::uint64_t> values(chance() ? 0 : below(50));
    for (std::uint64_t& ns : values) ns = number() >> 16U;
    results::Distribution made = distribution_of(values);
    if (chance()) made.counts = {};
    return made;
  }

  results::Direction direction() {
    return {number(), number(), number(), number(), distribution(), distribution(), distribution()};
  }

  template <std::size_t N>
  std::array<std::uint64_t, N> numbers() {
    std::array<std::uint64_t, N> array = {};
    for (std::uint64_t& value : array) value = number();
    return array;
  }

  // Some below 0, which the engine contract has for "can't tell".
  std::optional<std::int64_t> fact() {
    if (chance()) return std::nullopt;
    return static_cast<std::int64_t>(number() >> 1U) - (chance() ? 5 : 0);
  }

  clock::Certificate certificate() {
    clock::Certificate clock;
    clock.source = static_cast<clock::Source>(below(4));
    clock.verdict = static_cast<clock::Verdict>(below(4));
    clock.read = text();
    for (double* value : {&clock.read_cost_ns, &clock.granule_ns, &clock.hz, &clock.hz_ppb,
                          &clock.hz_baseline_s, &clock.mono_vs_raw_ppb, &clock.probe_ms})
      *value = real();
    clock.cpus = small();
    clock.pairs_checked = small();
    clock.pairs_insufficient = small();
    if (chance()) clock.offset_bound_ns.start = real();
    if (chance()) clock.offset_bound_ns.end = real();
    clock.stamp_bias_ns = real();
    clock.hz_method = text();
    clock.method = text();
    clock.offsets = list<clock::PairBound>([&]() -> clock::PairBound {
      return {static_cast<int>(below(300)), static_cast<int>(below(300)), -real(), real()};
    });
    clock.skew_proven = chance();
    if (chance()) clock.drift_bound_ppb = real();
    if (chance()) clock.monotone = chance();
    clock.loops = number();
    if (chance()) clock.migrated_ios = number();
    clock.suspend = chance();
    clock.step_ns = -real();
    clock.uncertainty_ns = {real(), real(), real()};
    clock.kernel_clocksource = {text(), text()};
    clock.negative_deltas = number();
    clock.findings = list<std::string>([&] { return text(); });
    return clock;
  }

  pmu::EventCount event_count() {
    pmu::EventCount event;
    event.name = text();
    event.status = static_cast<pmu::Status>(below(6));
    event.reason = text();
    if (chance()) event.group = small();
    event.windows = number();
    event.counted = number();
    event.time_enabled_ns = number();
    event.time_running_ns = number();
    event.counted_ns = number();
    event.coverage = real();
    if (chance()) event.total = number();
    if (chance()) event.ci95 = number();
    return event;
  }

  pmu::WindowLog window_log() {
    pmu::WindowLog log;
    for (std::uint64_t i = below(4); i > 0; --i) {
      log.end_ns.push_back(number());
      log.group.push_back(small());
      log.trigger.push_back(number());
      log.running_ns.push_back(number());
      log.values.push_back(list<std::uint64_t>([&] { return number(); }));
    }
    log.lost = number();
    return log;
  }

  pmu::Counts counts() {
    pmu::Counts counts;
    counts.available = chance();
    counts.mode = static_cast<pmu::Mode>(below(5));
    counts.reason = text();
    counts.scope = text();
    counts.domain = text();
    counts.counters = small();
    if (chance()) counts.trigger = pmu::TriggerUse{text(), number(), number(), chance(), small()};
    counts.order = static_cast<pmu::Order>(below(2));
    counts.jitter = small();
    counts.notify = static_cast<pmu::Notify>(below(4));
    counts.estimator = static_cast<pmu::Estimator>(below(2));
    counts.seed = number();
    counts.switches = number();
    counts.windows_dropped = number();
    counts.spurious = number();
    if (chance()) counts.handler_p50_ns = number();
    if (chance()) counts.handler_p99_ns = number();
    if (chance()) counts.overhead_percent = real();
    if (chance()) counts.package_energy_uj = number();
    counts.events = list<pmu::EventCount>([&] { return event_count(); });
    if (chance()) counts.log = window_log();
    return counts;
  }

  results::Job job() {
    results::Job job;
    job.jobname = text();
    job.description = text();
    job.groupid = small();
    job.workers = small();
    job.rw = text();
    job.ioengine = text();
    job.bs = text();
    job.block_size = numbers<3>();
    job.iodepth = small();
    job.numjobs = small();
    job.synchronous = chance();
    job.options = options();
    for (std::uint64_t i = below(6); i > 0; --i)
      job.percentile_list.push_back(static_cast<double>(below(100'001)) / 1000);
    job.clat_percentiles = chance();
    job.slat_percentiles = chance();
    job.lat_percentiles = chance();
    job.job_start_ms = number();
    job.runtime_ns = number();
    if (chance()) job.runtime_sum_ns = number();
    job.elapsed_ns = number();
    for (results::Direction& each : job.directions) each = direction();
    job.sync = {number(), distribution()};
    job.depths = {numbers<7>(), numbers<7>(), numbers<7>(), number()};
    job.usage = {number(), number(), number(), number(), number()};
    job.facts = {fact(), fact(), fact(), fact(), fact(), fact(), fact(), fact()};
    job.pmu = counts();
    job.intervals = list<results::Interval>([&]() -> results::Interval {
      return {number(), number(), numbers<3>(), numbers<3>()};
    });
    job.targets = list<results::TargetInfo>([&]() -> results::TargetInfo {
      return {text(), text(), text(), text(), text(), text(), text(), text(), number(), small()};
    });
    job.error = static_cast<int>(below(5000));
    job.errors = list<results::IoError>([&]() -> results::IoError {
      return {text(), text(), number(), number(), static_cast<int>(below(9000)), text()};
    });
    job.notes = list<std::string>([&] { return text(); });
    job.outstanding = number();
    if (chance()) job.migrated_ios = number();
    job.negative_deltas = number();
    return job;
  }

  std::mt19937_64 random_;
};

/// Each: equality of all members. Written here, because nothing but tests compares whole runs; a
/// member that is added has to be added to its list as well.
inline bool same(const pmu::Usage& a, const pmu::Usage& b) {
  const auto tie = [](const pmu::Usage& u) {
    return std::tie(u.user_ns, u.system_ns, u.context_switches, u.major_faults, u.minor_faults);
  };
  return tie(a) == tie(b);
}

inline bool same(const clock::Certificate& a, const clock::Certificate& b) {
  const auto tie = [](const clock::Certificate& c) {
    return std::tie(c.source, c.verdict, c.read, c.read_cost_ns, c.stamp_bias_ns, c.granule_ns,
                    c.hz, c.hz_ppb, c.hz_method, c.hz_baseline_s, c.mono_vs_raw_ppb, c.cpus,
                    c.method, c.pairs_checked, c.pairs_insufficient, c.offset_bound_ns, c.offsets,
                    c.skew_proven, c.drift_bound_ppb, c.monotone, c.loops, c.migrated_ios,
                    c.negative_deltas, c.probe_ms, c.kernel_clocksource, c.suspend, c.step_ns,
                    c.uncertainty_ns, c.findings);
  };
  return tie(a) == tie(b);
}

inline bool same(const results::Job& a, const results::Job& b) {
  const auto tie = [](const results::Job& j) {
    return std::tie(j.jobname, j.description, j.groupid, j.workers, j.rw, j.ioengine, j.bs,
                    j.block_size, j.iodepth, j.numjobs, j.synchronous, j.options, j.percentile_list,
                    j.clat_percentiles, j.slat_percentiles, j.lat_percentiles, j.job_start_ms,
                    j.runtime_ns, j.runtime_sum_ns, j.elapsed_ns, j.directions, j.sync, j.depths,
                    j.facts, j.intervals, j.targets, j.error, j.errors, j.notes, j.outstanding,
                    j.migrated_ios, j.negative_deltas, j.pmu);
  };
  return tie(a) == tie(b) && same(a.usage, b.usage);
}

inline bool same(const results::Run& a, const results::Run& b) {
  const auto tie = [](const results::Run& r) {
    return std::tie(r.version, r.timestamp_ms, r.command_line, r.global_options, r.host, r.notes,
                    r.complete, r.stopped_by);
  };
  if (tie(a) != tie(b) || !same(a.clock, b.clock) || a.jobs.size() != b.jobs.size()) return false;
  for (std::size_t i = 0; i < a.jobs.size(); ++i)
    if (!same(a.jobs[i], b.jobs[i])) return false;
  return true;
}

}  // namespace chronio::tests

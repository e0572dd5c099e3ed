// run.hpp: a finished run as plain data. What the result file holds is what this holds; no code
// here measures or formats.
#pragma once

#include "clock/certificate.hpp"
#include "pmu/estimate.hpp"
#include "stats/counts.hpp"
#include "stats/moments.hpp"

#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace chronio::results {

/// Read, write, trim: the order of every array here. Syncs are no direction, as in fio's output.
inline constexpr std::size_t kDirections = 3;  ///< read, write, trim
inline constexpr std::array<const char*, kDirections> kDirectionNames = {"read", "write", "trim"};

/// Latencies of one kind and direction, in ns. Moments and histogram are of the same I/Os; where
/// both are there, figures of spread are taken from moments and percentiles from the histogram.
struct Distribution {
  stats::Moments moments;  ///< exact, ns
  stats::Counts counts;    ///< the whole histogram; empty when it was not kept
  /// Percent and ns as another tool's file states them; only where no histogram was kept.
  std::vector<std::pair<double, std::uint64_t>> percentiles;
  bool operator==(const Distribution&) const = default;
};

/// One direction of one job. Failed I/Os are in none of these; a short one is a single I/O, whole
/// in the end.
struct Direction {
  std::uint64_t total_ios = 0;
  std::uint64_t short_ios = 0;  ///< transfers that came back short and were continued
  std::uint64_t io_bytes = 0;
  std::uint64_t runtime_ns = 0;  ///< of the measured part; 0 without I/Os; of a group: the longest
  Distribution slat;             ///< n is 0 for synchronous engines
  Distribution clat;
  Distribution lat;
  bool operator==(const Direction&) const = default;
};

/// fsync and fdatasync; fio's `sync` block. They move no bytes and are in no direction.
struct Sync {
  std::uint64_t total_ios = 0;
  Distribution lat;
  bool operator==(const Sync&) const = default;
};

/// I/Os and bytes that completed in one interval. `length_ns` is the true length: neighbours that
/// were joined, and the last one of a run, have another than the rest.
struct Interval {
  std::uint64_t start_ns = 0;  ///< from the start of the measured part
  std::uint64_t length_ns = 0;
  std::array<std::uint64_t, kDirections> ios = {};
  std::array<std::uint64_t, kDirections> bytes = {};
  bool operator==(const Interval&) const = default;
};

/// A failed I/O, or a failed step around it (open, engine). The first failed I/O ends its job, so
/// there are few.
struct IoError {
  std::string operation;  ///< "read", "write", "fsync", "open", ...
  std::string path;
  /// In the file or device.
  std::uint64_t offset = 0;  ///< bytes
  std::uint64_t length = 0;  ///< bytes
  int error = 0;             ///< errno; above 4096: a device's own status plus 4096
  std::string text;          ///< in words
  bool operator==(const IoError&) const = default;
};

/// An option's effective value.
struct Option {
  std::string key;
  std::string value;
  std::string origin;  ///< "default", "FILE:LINE" or "command line"
  bool operator==(const Option&) const = default;
};

/// Numbers of I/Os, or of calls, by depth or batch size: fio's classes 1 (or 0), 2..., see
/// docs/metrics.md. Syncs are counted as I/Os here.
struct Depths {
  std::array<std::uint64_t, 7> level =
      {};  ///< depth at issue: 1, 2-3, 4-7, 8-15, 16-31, 32-63, >= 64
  std::array<std::uint64_t, 7> submit = {};    ///< batch: 0, 1-4, 5-8, 9-16, 17-32, 33-64, > 64
  std::array<std::uint64_t, 7> complete = {};  ///< batch: the same classes
  std::uint64_t depth_sum = 0;                 ///< of the depth at issue, for the mean
  bool operator==(const Depths&) const = default;
};

/// What the engine says was really in use; absent: it can't tell. Merged, counts are sums and a yes
/// is everybody's.
struct EngineFacts {
  /// Completions that were found by polling.
  std::optional<std::int64_t> polled;
  /// 1 or 0: registered with the kernel.
  std::optional<std::int64_t> fixed_buffers;
  std::optional<std::int64_t> registered_files;
  /// System calls that submitted or waited.
  std::optional<std::int64_t> enter_calls;
  /// I/Os that were done inside the call that submitted them.
  std::optional<std::int64_t> inline_completions;
  /// I/Os handed to kernel worker threads.
  std::optional<std::int64_t> punts;
  /// 1 or 0: a kernel thread submitted.
  std::optional<std::int64_t> sq_poll;
  /// io-wq threads of the worker at its end.
  std::optional<std::int64_t> kernel_workers;
  bool operator==(const EngineFacts&) const = default;
};

/// A file or device that a job used. What can't be found out is empty or 0.
struct TargetInfo {
  std::string path;
  std::string type;         ///< "file", "block", "char", "other"; "none": the job needs no file
  std::string file_system;  ///< of a file: "ext4", "tmpfs", ...; else empty
  std::string device;       ///< kernel name of the disk below, "" when not known
  std::string model;
  std::string firmware;
  std::string serial;
  std::string scheduler;  ///< of the block device's queue
  /// Size of the file or device.
  std::uint64_t bytes = 0;
  /// Bytes; 0: not known.
  std::uint32_t logical_block = 0;
  bool operator==(const TargetInfo&) const = default;
};

/// One job, or with group_reporting all workers of its group merged. Times are of the measured part
/// unless they say otherwise: the ramp is in no figure here.
struct Job {
  /// Of a merged group: that of the first of its jobs.
  std::string jobname;
  /// Free text of the job file; empty without.
  std::string description;
  /// From 0, in the order of the job files. Jobs of one group ran at the same time.
  std::uint32_t groupid = 0;
  std::uint32_t workers = 1;     ///< threads merged into this entry
  std::string rw, ioengine, bs;  ///< as effective; bs "4096B-4096B,..." is made by the writers
  /// Bytes; 0 where a file of another tool does not tell.
  std::array<std::uint64_t, kDirections> block_size = {};
  std::uint32_t iodepth = 1;
  std::uint32_t numjobs = 1;
  bool synchronous = false;             ///< the engine has no slat and no depth
  std::vector<Option> options;          ///< all that are known, defaults too
  std::vector<double> percentile_list;  ///< percent, ascending as asked
  bool clat_percentiles = true, slat_percentiles = false, lat_percentiles = false;
  std::uint64_t job_start_ms = 0;  ///< Unix time
  std::uint64_t runtime_ns = 0;    ///< wall time of the measured part; of a group: the longest
  /// Of a merged group: all workers' run times added. Nothing: one worker, so runtime_ns.
  std::optional<std::uint64_t> runtime_sum_ns;
  /// Wall time from job_start_ms to its end.
  std::uint64_t elapsed_ns = 0;  ///< with ramp and start-up
  std::array<Direction, kDirections> directions;
  /// All zeros for a job that never syncs.
  Sync sync;
  Depths depths;
  /// CPU time, context switches and page faults of the workers' threads.
  pmu::Usage usage;
  /// Events of these threads; mode off when nobody asked for any.
  pmu::Counts pmu;
  /// What the engine told when it was done.
  EngineFacts facts;
  /// Ascending; at most 512. Their sums are the directions' totals.
  std::vector<Interval> intervals;
  /// Each path once, also of several workers.
  std::vector<TargetInfo> targets;
  int error = 0;  ///< first errno; 0 when all went well
  std::vector<IoError> errors;
  std::vector<std::string>
      notes;                      ///< warnings that make a figure doubtful, fio's quiet corrections
  std::uint64_t outstanding = 0;  ///< I/Os that never came back
  /// I/Os that completed on another CPU than they were submitted on; nothing: the counter in use
  /// does not tell.
  std::optional<std::uint64_t> migrated_ios;
  std::uint64_t negative_deltas = 0;  ///< latencies that came out below zero; counted as 0 ns
};

/// Where it ran. Empty or 0: not known.
struct Host {
  std::string hostname, kernel, machine;
  std::string cpu_model;
  std::uint32_t cpus = 0;
  std::string governor;     ///< of CPU 0; "" when not known
  std::string clocksource;  ///< the kernel's
  std::uint64_t memory_bytes = 0;
  std::string hypervisor;         ///< "" on bare metal
  std::int32_t utc_offset_s = 0;  ///< of local time: what `time` in the result file is written in
  bool operator==(const Host&) const = default;
};

/// A whole run. Also one that was cut short: what was measured until then is in it.
struct Run {
  std::string version;             ///< chronio's
  std::uint64_t timestamp_ms = 0;  ///< Unix time at the end
  /// Word by word, the program's name first.
  std::vector<std::string> command_line;
  /// What [global] sections and the command line's defaults said.
  std::vector<Option> global_options;
  std::vector<Job> jobs;
  Host host;
  /// How far the times of all jobs can be trusted.
  clock::Certificate clock;
  std::vector<std::string> notes;
  bool complete = true;    ///< false: cut short; `stopped_by` says by what
  std::string stopped_by;  ///< "SIGINT", "SIGTERM", "I/O error", ""
};

/// Run times of all workers of `job` added, in ns: what its CPU time is measured against, and what
/// fio calls job_runtime.
[[nodiscard]] inline std::uint64_t worker_time_ns(const Job& job) noexcept {
  return job.runtime_sum_ns.value_or(job.runtime_ns);
}

/// I/Os that were handed over, syncs included: those that the depths are of.
[[nodiscard]] inline std::uint64_t issued(const Job& job) noexcept {
  return std::accumulate(job.depths.level.begin(), job.depths.level.end(), std::uint64_t{0});
}

/// `count` by issued I/O, syncs included; nothing without any.
[[nodiscard]] inline std::optional<double> per_io(const Job& job, std::uint64_t count) noexcept {
  const std::uint64_t ios = issued(job);
  if (ios == 0) return std::nullopt;
  return static_cast<double>(count) / static_cast<double>(ios);
}

/// Adds one worker's job to another of the same group: counts, histograms, depths, usage and errors
/// add up; run times are the longest; intervals add by their place in the series. What names the
/// workload stays `into`'s; another job's name becomes a note. A fact that one side does not know
/// is not known of both.
void merge(Job& into, const Job& from);

}  // namespace chronio::results

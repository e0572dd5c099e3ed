// job.hpp: what a job is: every option typed, in one unit. Filled from the option tables, then
// never changed. Groups are the files of jobs/options/.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace chronio::jobs {

/// A value for each data direction, in fio's order: read, write, trim.
template <class T>
using PerDdir = std::array<T, 3>;

/// A size or offset: bytes, or a percentage of the target's size.
struct Amount {
  std::uint64_t bytes = 0;
  std::uint32_t percent = 0;  ///< 1 to 100 when this is a percentage, and bytes is 0 then
  bool operator==(const Amount&) const = default;
};

/// fio's rw=. The option table maps two words to `readwrite`: "rw" and "readwrite".
enum class Rw : std::uint8_t {
  read,
  write,
  randread,
  randwrite,
  readwrite,
  randrw,
  trim,
  randtrim,
  trimwrite,
  randtrimwrite,
};

/// fio's fadvise_hint=: nothing, what the pattern is, or one order in any case.
enum class FadviseHint : std::uint8_t { none, pattern, random, sequential };

/// fio's clocksource=, and `automatic`, for which fio has no word. What it comes to is decided once
/// for the process, by the clock's checks.
enum class ClockSource : std::uint8_t { automatic, cpu, clock_gettime, gettimeofday };

/// Words of the pmu_* options; pmu= itself is text, for it also takes a list of events.
enum class PmuOrder : std::uint8_t { shuffled, preset };
enum class PmuSwitch : std::uint8_t { overflow, kernel };
enum class PmuNotify : std::uint8_t { automatic, sigtrap, signal, poll };
enum class PmuEstimator : std::uint8_t { ratio, time };

/// When a job runs, how often at once, and with which others it is reported.
struct LifeOptions {
  /// Of the section; a name= in it replaces that.
  std::string name;
  std::string description;
  std::uint32_t numjobs = 1;
  bool thread = true;  ///< always; accepted for fio's job files
  /// Also set by resolve(), where another source of jobs begins.
  bool stonewall = false;
  bool group_reporting = false;
  bool new_group = false;
  std::vector<std::uint32_t> cpus_allowed;  ///< CPU numbers, ascending; empty: all
};

/// What is read and written. Without a filename, names are made by `filename_format`, below each
/// `directory` in turn.
struct TargetOptions {
  /// Colons in names are already unescaped.
  std::vector<std::string> filename;
  std::vector<std::string> directory;
  bool invalidate = true;
  FadviseHint fadvise_hint = FadviseHint::pattern;
  bool unlink = false;
  bool allow_file_create = true;
  std::uint32_t nrfiles = 1;  ///< of names that are generated
  /// Source: fio's HOWTO, "filename_format".
  std::string filename_format = "$jobname.$jobnum.$filenum";
};

/// How I/O is issued. Depths and batches are of each copy of the job, in I/Os.
struct IoOptions {
  Rw rw = Rw::read;
  std::uint32_t rwmixread = 50;  ///< percent of reads in mixes
  bool direct = false;
  std::string ioengine = "psync";
  std::uint32_t iodepth = 1;
  std::uint32_t iodepth_low = 0;  ///< a full queue is drained to this first; 0: iodepth
  /// Batches beyond the depth are cut by the plan, not here: each field is what the user wrote.
  std::uint32_t iodepth_batch_submit = 1;
  std::uint32_t iodepth_batch_complete_min = 1;
  std::uint32_t iodepth_batch_complete_max = 0;  ///< 0: as many as are there
  std::uint32_t fsync = 0;                       ///< after so many writes; 0: never
  std::uint32_t fdatasync = 0;                   ///< the same
  bool end_fsync = false;
};

/// How much is read and written, and where.
struct SizeOptions {
  PerDdir<std::uint64_t> bs = {4096, 4096, 4096};  ///< bytes
  /// Nothing: the whole target. Zero is stored as nothing, as fio means it.
  std::optional<Amount> size;
  std::uint64_t filesize = 0;  ///< bytes of each file; 0: an equal part of size
  /// Nothing: as much as `size`. A percentage is of `size`, not of the target.
  std::optional<Amount> io_size;
  /// From the start of each target.
  Amount offset;
};

/// Order of random offsets. A seed overrides randrepeat.
struct RandomOptions {
  bool randrepeat = true;
  std::optional<std::uint64_t> randseed;
  /// Each offset is drawn anew, so that some blocks come twice and others never.
  bool norandommap = false;
};

/// When a job begins and ends. Every time is in ns, whatever unit it was written in.
struct TimeOptions {
  std::uint64_t runtime_ns = 0;  ///< 0: no limit
  bool time_based = false;
  /// I/O goes on for so long before the measured part.
  std::uint64_t ramp_time_ns = 0;
  std::uint64_t startdelay_ns = 0;
  std::uint32_t loops = 1;
  ClockSource clocksource = ClockSource::automatic;
};

/// What is measured and reported. The defaults of percentiles are fio's.
struct ReportOptions {
  std::vector<double> percentile_list = {1,  5,  10, 20, 30,   40,   50,    60,   70,
                                         80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99};  ///< percent
  /// The histograms of slat and lat are kept only when their percentiles are asked for: by default
  /// exact moments are all that is kept of them.
  bool clat_percentiles = true;
  bool slat_percentiles = false;
  bool lat_percentiles = false;
  bool disable_slat = false;  ///< not measured: no stamp is taken for it alone
  bool disable_clat = false;
  bool disable_lat = false;
  bool gtod_reduce = false;  ///< all three
};

/// What is counted beside the I/Os; docs/pmu.md explains how. Lists of events stay text here: which
/// events there are is known only to `pmu`.
struct PmuOptions {
  std::string pmu = "auto";  ///< off, auto, require, or a list of events
  std::string pmu_events = "default";
  std::string pmu_trigger = "auto";
  std::uint64_t pmu_period = 0;  ///< trigger events; 0: measured in the ramp
  PmuOrder pmu_order = PmuOrder::shuffled;
  std::uint32_t pmu_jitter = 0;  ///< percent
  PmuSwitch pmu_switch = PmuSwitch::overflow;
  PmuNotify pmu_notify = PmuNotify::automatic;
  std::uint32_t pmu_budget = 1;  ///< percent of the CPU time
  PmuEstimator pmu_estimator = PmuEstimator::ratio;
  bool pmu_log = false;
};

/// A job, complete: all options in one namespace, so that a row of the table is a member pointer. A
/// default member value is the option's default; no other place holds it.
struct Job : LifeOptions,
             TargetOptions,
             IoOptions,
             SizeOptions,
             RandomOptions,
             TimeOptions,
             ReportOptions,
             PmuOptions {};

/// Offsets are drawn, not counted up.
[[nodiscard]] constexpr bool is_random(Rw rw) noexcept {
  return rw == Rw::randread || rw == Rw::randwrite || rw == Rw::randrw || rw == Rw::randtrim ||
         rw == Rw::randtrimwrite;
}
/// Some I/Os are reads. A mix counts whatever its rwmixread, 0 too.
[[nodiscard]] constexpr bool reads(Rw rw) noexcept {
  return rw == Rw::read || rw == Rw::randread || rw == Rw::readwrite || rw == Rw::randrw;
}
/// The order that the kernel is told of: random, sequential or none. Advice only, which the kernel
/// may ignore.
[[nodiscard]] constexpr FadviseHint order_hint(FadviseHint asked, Rw rw) noexcept {
  if (asked != FadviseHint::pattern) return asked;
  return is_random(rw) ? FadviseHint::random : FadviseHint::sequential;
}
/// Each block is trimmed, then written.
[[nodiscard]] constexpr bool trims_first(Rw rw) noexcept {
  return rw == Rw::trimwrite || rw == Rw::randtrimwrite;
}
/// Some I/Os are trims: those of trimwrite too.
[[nodiscard]] constexpr bool trims(Rw rw) noexcept {
  return rw == Rw::trim || rw == Rw::randtrim || trims_first(rw);
}
/// Some I/Os are writes; a mix counts whatever its rwmixread.
[[nodiscard]] constexpr bool writes(Rw rw) noexcept {
  return rw == Rw::write || rw == Rw::randwrite || rw == Rw::readwrite || rw == Rw::randrw ||
         trims_first(rw);
}
/// What stands in the target may be lost: the question that the guard of block devices asks.
[[nodiscard]] constexpr bool changes(Rw rw) noexcept { return writes(rw) || trims(rw); }

}  // namespace chronio::jobs

// job.hpp: what a job is: every option typed, in one unit. Filled from the option tables, then
// never changed. Groups are the files of jobs/options/.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace chronio::jobs {

/// Read, write, trim.
template <class T>
using PerDdir = std::array<T, 3>;

/// A size or offset: bytes, or a percentage of the target's size.
struct Amount {
  std::uint64_t bytes = 0;
  std::uint32_t percent = 0;  ///< 1 to 100 when this is a percentage, and bytes is 0 then
  bool operator==(const Amount&) const = default;
};

/// fio's rw=.
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

/// fio's clocksource=.
enum class ClockSource : std::uint8_t { automatic, cpu, clock_gettime, gettimeofday };

/// Words of the pmu_* options; pmu= itself is text, for it also takes a list of events.
enum class PmuOrder : std::uint8_t { shuffled, preset };
enum class PmuSwitch : std::uint8_t { overflow, kernel };
enum class PmuNotify : std::uint8_t { automatic, sigtrap, signal, poll };
enum class PmuEstimator : std::uint8_t { ratio, time };

struct LifeOptions {
  std::string name;
  std::string description;
  std::uint32_t numjobs = 1;
  bool thread = true;  ///< always; accepted for fio's job files
  bool stonewall = false;
  bool group_reporting = false;
  bool new_group = false;
  std::vector<std::uint32_t> cpus_allowed;  ///< CPU numbers, ascending; empty: all
};

struct TargetOptions {
  std::vector<std::string> filename;
  std::vector<std::string> directory;
  bool invalidate = true;
  FadviseHint fadvise_hint = FadviseHint::pattern;
  bool unlink = false;
  bool allow_file_create = true;
  std::uint32_t nrfiles = 1;  ///< of names that are generated
  std::string filename_format = "$jobname.$jobnum.$filenum";
};

struct IoOptions {
  Rw rw = Rw::read;
  std::uint32_t rwmixread = 50;  ///< percent of reads in mixes
  bool direct = false;
  std::string ioengine = "psync";
  std::uint32_t iodepth = 1;
  std::uint32_t iodepth_low = 0;  ///< a full queue is drained to this first; 0: iodepth
  std::uint32_t iodepth_batch_submit = 1;
  std::uint32_t iodepth_batch_complete_min = 1;
  std::uint32_t iodepth_batch_complete_max = 0;  ///< 0: as many as are there
  std::uint32_t fsync = 0;                       ///< after so many writes; 0: never
  std::uint32_t fdatasync = 0;                   ///< the same
  bool end_fsync = false;
};

struct SizeOptions {
  PerDdir<std::uint64_t> bs = {4096, 4096, 4096};  ///< bytes
  std::optional<Amount> size;
  std::uint64_t filesize = 0;  ///< bytes of each file; 0: an equal part of size
  std::optional<Amount> io_size;
  Amount offset;
};

struct RandomOptions {
  bool randrepeat = true;
  std::optional<std::uint64_t> randseed;
  bool norandommap = false;
};

struct TimeOptions {
  std::uint64_t runtime_ns = 0;  ///< 0: no limit
  bool time_based = false;
  std::uint64_t ramp_time_ns = 0;
  std::uint64_t startdelay_ns = 0;
  std::uint32_t loops = 1;
  ClockSource clocksource = ClockSource::automatic;
};

struct ReportOptions {
  std::vector<double> percentile_list = {1,  5,  10, 20, 30,   40,   50,    60,   70,
                                         80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99};  ///< percent
  bool clat_percentiles = true;
  bool slat_percentiles = false;
  bool lat_percentiles = false;
  bool disable_slat = false;  ///< not measured: no stamp is taken for it alone
  bool disable_clat = false;
  bool disable_lat = false;
  bool gtod_reduce = false;  ///< all three
};

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

struct Job : LifeOptions,
             TargetOptions,
             IoOptions,
             SizeOptions,
             RandomOptions,
             TimeOptions,
             ReportOptions,
             PmuOptions {};

[[nodiscard]] constexpr bool is_random(Rw rw) noexcept {
  return rw == Rw::randread || rw == Rw::randwrite || rw == Rw::randrw || rw == Rw::randtrim ||
         rw == Rw::randtrimwrite;
}
[[nodiscard]] constexpr bool reads(Rw rw) noexcept {
  return rw == Rw::read || rw == Rw::randread || rw == Rw::readwrite || rw == Rw::randrw;
}
/// The order that the kernel is told of: random, sequential or none.
[[nodiscard]] constexpr FadviseHint order_hint(FadviseHint asked, Rw rw) noexcept {
  if (asked != FadviseHint::pattern) return asked;
  return is_random(rw) ? FadviseHint::random : FadviseHint::sequential;
}
/// Each block is trimmed, then written.
[[nodiscard]] constexpr bool trims_first(Rw rw) noexcept {
  return rw == Rw::trimwrite || rw == Rw::randtrimwrite;
}
[[nodiscard]] constexpr bool trims(Rw rw) noexcept {
  return rw == Rw::trim || rw == Rw::randtrim || trims_first(rw);
}
[[nodiscard]] constexpr bool writes(Rw rw) noexcept {
  return rw == Rw::write || rw == Rw::randwrite || rw == Rw::readwrite || rw == Rw::randrw ||
         trims_first(rw);
}
/// What stands in the target may be lost.
[[nodiscard]] constexpr bool changes(Rw rw) noexcept { return writes(rw) || trims(rw); }

}  // namespace chronio::jobs

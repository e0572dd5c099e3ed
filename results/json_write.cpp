// json_write.cpp: a whole run as a result file: fio's top level, its jobs, chronio's block.
#include "results/figures.hpp"
#include "results/json.hpp"
#include "results/json_blocks.hpp"

#include <algorithm>
#include <ctime>
#include <fmt/format.h>

namespace chronio::results {
namespace {

/// fio's `time`, as ctime(3) writes it, in the local time of where the run was made. Not by
/// strftime(3): names of days and months must not follow the locale.
std::string time_text(const Run& run) {
  const auto local = static_cast<std::time_t>(run.timestamp_ms / 1000) + run.host.utc_offset_s;
  std::tm tm = {};
  if (::gmtime_r(&local, &tm) == nullptr) return "";
  constexpr std::array<const char*, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  return fmt::format("{} {} {:2} {:02}:{:02}:{:02} {}",
                     kDays.at(static_cast<std::size_t>(tm.tm_wday)),
                     kMonths.at(static_cast<std::size_t>(tm.tm_mon)), tm.tm_mday, tm.tm_hour,
                     tm.tm_min, tm.tm_sec, std::int64_t{tm.tm_year} + 1900);
}

/// Bytes per second of all jobs in a group, as fio: its bytes by its longest run time. What a job's
/// bw_agg is a share of.
std::array<double, kDirections> group_bandwidth(const Run& run, std::uint32_t groupid) {
  std::array<Direction, kDirections> sums;
  for (const Job& job : run.jobs) {
    if (job.groupid != groupid) continue;
    for (std::size_t d = 0; d < kDirections; ++d) {
      sums[d].io_bytes += job.directions[d].io_bytes;
      sums[d].runtime_ns = std::max(sums[d].runtime_ns, job.directions[d].runtime_ns);
    }
  }
  return {bandwidth(sums[0]), bandwidth(sums[1]), bandwidth(sums[2])};
}

}  // namespace

std::string clock_json(const clock::Certificate& certificate) {
  return text_of({{"clock", own_block(certificate)}});
}

std::string to_json(const Run& run, bool plus) {
  // Consumers tell a result by "fio version"; behind fio's number stands who really wrote this.
  Json top = {{"fio version", utf8("fio-3.42-compat chronio-" + run.version)},
              {"timestamp", run.timestamp_ms / 1000},
              {"timestamp_ms", run.timestamp_ms},
              {"time", time_text(run)}};
  // Also when empty: fio-plot looks for it at the top.
  Json& globals = top["global options"] = Json::object();
  for (const Option& option : run.global_options) globals[utf8(option.key)] = utf8(option.value);
  Json jobs = Json::array();
  for (const Job& job : run.jobs)
    jobs.push_back(job_block(job, {plus, group_bandwidth(run, job.groupid)}));
  top["jobs"] = std::move(jobs);
  // fio's key, whose figures are not measured: an empty list says so without a 0.
  top["disk_util"] = Json::array();
  top["chronio"] = own_block(run);
  return text_of(top);
}

}  // namespace chronio::results

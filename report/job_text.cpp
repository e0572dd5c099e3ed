// job_text.cpp: fio's block of one finished job, laid out as fio 3 does.
#include "report/job_text.hpp"

#include "report/format.hpp"
#include "results/figures.hpp"
#include "stats/counts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace chronio::report {
namespace {

using results::Direction;
using results::Distribution;
using results::Job;

/// A unit of latency as fio names it.
struct Unit {
  const char* name;
  double ns;
};

/// fio leaves ns only when no figure of a line would lose by it: all three have to be large enough.
/// Source: fio's stat.c, nsec_to_usec() and nsec_to_msec().
Unit unit_for(double min_ns, double max_ns, double stddev_ns) {
  if (min_ns > 2e6 && max_ns > 99'999'999 && stddev_ns > 1e6) return {"msec", 1e6};
  if (min_ns > 2e3 && max_ns > 99'999 && stddev_ns > 1e3) return {"usec", 1e3};
  return {"nsec", 1};
}

/// fio prints the process number behind the error; workers are threads here, so there is none.
std::string head_line(const Job& job, std::string_view ended) {
  std::string error = fmt::format("err={:2}", job.error);
  if (job.error != 0) {
    const char* words = ::strerrordesc_np(job.error);
    if (!job.errors.empty()) words = job.errors.front().text.c_str();
    error += fmt::format(" ({})", words == nullptr ? "unknown error" : printable(words));
  }
  return fmt::format("{}: (groupid={}, jobs={}): {}: {}\n", printable(job.jobname), job.groupid,
                     job.workers, error, ended);
}

/// The line that most scripts read: "IOPS=" and "BW=" with these units. Source: fio's stat.c,
/// show_ddir_status().
std::string rate_line(const char* name, const Direction& direction) {
  const double bandwidth = results::bandwidth(direction);
  return fmt::format("  {}: IOPS={}, BW={} ({})({}/{}msec)\n", name,
                     iops_text(results::iops(direction)), rate_text(bandwidth, Base::iec),
                     rate_text(bandwidth, Base::si),
                     bytes_text(static_cast<double>(direction.io_bytes), Base::iec),
                     results::runtime_ms(direction.runtime_ns));
}

/// "    clat (usec): min=1, max=2, avg= 1.50, stdev= 0.10"; nothing when nothing was measured.
std::string moments_line(const char* name, const stats::Moments& moments) {
  if (moments.n == 0) return {};
  const auto min = static_cast<double>(moments.min);
  const auto max = static_cast<double>(moments.max);
  const Unit unit = unit_for(min, max, moments.stddev());
  // avg and stdev without a prefix and with two decimals, as fio: min and max are whole numbers
  // there.
  return fmt::format("    {:>4} ({}): min={}, max={}, avg={:5.2f}, stdev={:5.2f}\n", name,
                     unit.name, scaled(min / unit.ns, 6, Base::si),
                     scaled(max / unit.ns, 6, Base::si), moments.mean() / unit.ns,
                     moments.stddev() / unit.ns);
}

struct Percentile {
  double percent;
  double ns;
};

/// Decimals that the percentile which needs most of them needs; fio's limit is six.
int decimals_of(std::span<const Percentile> values) {
  int most = 0;
  for (const Percentile& value : values) {
    const std::string text = percent_name(value.percent);
    const std::size_t point = text.find('.');
    if (point != std::string::npos)
      most = std::max(most, static_cast<int>(text.size() - point) - 1);
  }
  return std::min(most, 6);
}

/// From the histogram where there is one.
std::vector<Percentile> percentiles_of(const Distribution& distribution,
                                       std::span<const double> percents) {
  std::vector<Percentile> values;
  for (const double percent : percents) {
    const std::optional<double> ns =
        stats::percentile(distribution.counts, distribution.moments, percent);
    if (ns) values.push_back({percent, *ns});
  }
  // What another tool's file states. Nothing of ours is beside it: with a histogram there is none.
  for (const auto& [percent, ns] : distribution.percentiles) {
    values.push_back({percent, static_cast<double>(ns)});
  }
  return values;
}

/// fio's cells, as many on a line as fio puts there; `width` is that of the widest figure, at least
/// 5. Source: fio's stat.c, show_clat_percentiles().
std::string percentile_rows(std::span<const Percentile> values, const Unit& unit, int decimals) {
  std::size_t width = 5;
  for (const Percentile& value : values) {
    width = std::max(width, fmt::format("{:.0f}", value.ns / unit.ns).size());
  }
  const std::size_t per_line =
      std::max<std::size_t>(73 / (static_cast<std::size_t>(decimals) + 10 + width), 1);
  std::string out;
  for (std::size_t at = 0; at < values.size(); ++at) {
    if (at % per_line == 0) out += "     |";
    out += fmt::format(" {:{}.{}f}th=[{:{}.0f}]", values[at].percent, decimals + 3, decimals,
                       values[at].ns / unit.ns, width);
    const bool last = at + 1 == values.size();
    if (!last) out += ',';
    if (last || at % per_line == per_line - 1) out += '\n';
  }
  return out;
}

/// Which percentiles have few samples beyond them: 30 make a figure, 4 are the least for a 95 %
/// interval of an order statistic. Only of the upper half: below, there are samples enough when
/// there are any.
std::string few_samples_line(std::span<const Percentile> values, std::uint64_t n, int decimals) {
  const auto first_below = [&](double least) -> std::string {
    for (const Percentile& value : values) {
      // 1e-6: 99.9 % of 10,000 leaves 10 samples, which in doubles are a little less.
      const double beyond = std::floor(static_cast<double>(n) * (100 - value.percent) / 100 + 1e-6);
      if (value.percent >= 50 && value.percent < 100 && beyond < least) {
        return fmt::format("{:.{}f}th", value.percent, decimals);
      }
    }
    return {};
  };
  const std::string thin = first_below(30);
  const std::string thinnest = first_below(4);
  if (thin.empty()) return {};
  if (thin == thinnest)
    return fmt::format("     (~ fewer than 4 samples beyond {} and up)\n", thin);
  std::string out = fmt::format("     (~ fewer than 30 samples beyond {} and up", thin);
  if (!thinnest.empty()) out += fmt::format("; {}: fewer than 4", thinnest);
  return out + ")\n";
}

std::string percentile_block(const char* name, const Distribution& distribution,
                             std::span<const double> percents) {
  const std::vector<Percentile> values = percentiles_of(distribution, percents);
  if (values.empty()) return {};
  const auto [least, most] =
      std::minmax_element(values.begin(), values.end(),
                          [](const Percentile& a, const Percentile& b) { return a.ns < b.ns; });
  // fio passes no deviation here, so that it is no reason to stay with ns.
  const Unit unit = unit_for(least->ns, most->ns, HUGE_VAL);
  const int decimals = decimals_of(values);
  return fmt::format("    {} percentiles ({}):\n", name, unit.name) +
         percentile_rows(values, unit, decimals) +
         few_samples_line(values, distribution.moments.n, decimals);
}

/// Both from one set of intervals, so that bandwidth and IOPS have as many samples.
std::string sample_lines(const Job& job, std::size_t direction, const GroupDirection& group) {
  const results::Samples bytes = samples_of(job, direction, &results::Interval::bytes);
  const results::Samples ios = samples_of(job, direction, &results::Interval::ios);
  if (bytes.n == 0) return {};
  const bool large = bytes.mean > 1024.0 * 1024 * 1024;
  const double unit = large ? 1024.0 * 1024 : 1024.0;
  // A mean over intervals can be above the bandwidth of the whole run.
  const double share =
      group.bandwidth() > 0 ? std::min(bytes.mean * 100 / group.bandwidth(), 100.0) : 100.0;
  return fmt::format(
      "   bw (  {}/s): min={:5.0f}, max={:5.0f}, per={:3.2f}%, avg={:5.2f}, stdev={:5.2f}, "
      "samples={}\n"
      "   iops        : min={:5.0f}, max={:5.0f}, avg={:5.2f}, stdev={:5.2f}, samples={}\n",
      large ? "MiB" : "KiB", bytes.min / unit, bytes.max / unit, share, bytes.mean / unit,
      bytes.stddev / unit, bytes.n, ios.min, ios.max, ios.mean, ios.stddev, ios.n);
}

/// In fio's order: rate, latencies, percentiles, samples. A direction without I/Os is left out.
std::string direction_block(const Job& job, std::size_t at, const GroupDirection& group) {
  const Direction& direction = job.directions.at(at);
  if (direction.total_ios == 0) return {};
  std::string out = rate_line(results::kDirectionNames.at(at), direction);
  out += moments_line("slat", direction.slat.moments);
  out += moments_line("clat", direction.clat.moments);
  out += moments_line("lat", direction.lat.moments);
  const std::span<const double> percents = job.percentile_list;
  if (job.slat_percentiles) out += percentile_block("slat", direction.slat, percents);
  if (job.clat_percentiles) out += percentile_block("clat", direction.clat, percents);
  if (job.lat_percentiles) out += percentile_block("lat", direction.lat, percents);
  return out + sample_lines(job, at, group);
}

/// The classes of one unit that hold anything, five to a line: "  lat (usec)   : 2=0.01%, 4=99.9%".
/// Source: fio's stat.c, show_lat(): five to a line, and at least 0.01 % for what is not 0.
std::string unit_lines(const char* unit, std::span<const std::uint64_t> classes, double total) {
  constexpr std::array<const char*, 12> kLabels = {"2",   "4",   "10",  "20",   "50",   "100",
                                                   "250", "500", "750", "1000", "2000", ">=2000"};
  std::string out;
  std::size_t shown = 0;
  for (std::size_t at = 0; at < classes.size(); ++at) {
    if (classes[at] == 0) continue;
    if (shown % 5 == 0) out += fmt::format("{}  lat ({})   : ", shown == 0 ? "" : "\n", unit);
    const double percent = 100 * static_cast<double>(classes[at]) / total;
    out += fmt::format("{}{}={:.2f}%", shown % 5 == 0 ? "" : ", ", kLabels.at(at),
                       std::max(percent, 0.01));
    ++shown;
  }
  return shown == 0 ? out : out + "\n";
}

/// Shares of all I/Os, so those of the three units add up to 100.
std::string class_lines(const Job& job) {
  const auto classes = results::latency_classes(job);
  const std::span<const std::uint64_t> all = classes;
  const double total =
      static_cast<double>(std::accumulate(all.begin(), all.end(), std::uint64_t{0}));
  return unit_lines("nsec", all.subspan(0, 10), total) +
         unit_lines("usec", all.subspan(10, 10), total) +
         unit_lines("msec", all.subspan(20), total);
}

/// Syncs have lat alone, as in fio.
std::string sync_block(const Job& job) {
  if (job.sync.total_ios == 0) return {};
  return "  fsync/fdatasync/sync_file_range:\n" + moments_line("sync", job.sync.lat.moments) +
         percentile_block("sync", job.sync.lat, job.percentile_list);
}

/// Of one CPU: two busy workers of a group still make 100 %, by all their run times.
std::string cpu_line(const Job& job) {
  return fmt::format("  cpu          : usr={:3.2f}%, sys={:3.2f}%, ctx={}, majf={}, minf={}\n",
                     results::cpu_percent(job.usage.user_ns, job),
                     results::cpu_percent(job.usage.system_ns, job), job.usage.context_switches,
                     job.usage.major_faults, job.usage.minor_faults);
}

/// Shares of `counts` in percent; what is not 0 is at least 0.1, as fio shows it, so that a rare
/// depth is not taken for none.
std::string depth_line(const char* head, const std::array<const char*, 7>& labels,
                       const std::array<std::uint64_t, 7>& counts, std::uint64_t ios) {
  std::uint64_t total = 0;
  for (const std::uint64_t count : counts) total += count;
  // I/Os were done, so their depths were not looked at, as in a result of fio.
  if (total == 0 && ios > 0) return {};
  std::string out = head;
  for (std::size_t at = 0; at < counts.size(); ++at) {
    const double percent =
        total == 0 ? 0 : 100 * static_cast<double>(counts.at(at)) / static_cast<double>(total);
    out += fmt::format("{}{}={:3.1f}%", at == 0 ? "" : ", ", labels.at(at),
                       counts.at(at) == 0 ? 0 : std::max(percent, 0.1));
  }
  return out + "\n";
}

std::string depth_lines(const Job& job) {
  constexpr std::array<const char*, 7> kLevels = {"1", "2", "4", "8", "16", "32", ">=64"};
  constexpr std::array<const char*, 7> kBatches = {"0", "4", "8", "16", "32", "64", ">=64"};
  std::uint64_t ios = 0;
  for (const Direction& direction : job.directions) ios += direction.total_ios;
  return depth_line("  IO depths    : ", kLevels, job.depths.level, ios) +
         depth_line("     submit    : ", kBatches, job.depths.submit, ios) +
         depth_line("     complete  : ", kBatches, job.depths.complete, ios);
}

/// Zeros where fio has figures of what chronio does not do: scripts count fields.
std::string issued_lines(const Job& job) {
  const auto& [read, write, trim] = job.directions;
  return fmt::format(
      "     issued rwts: total={},{},{},{} short={},{},{},0 dropped=0,0,0,0\n"
      "     latency   : target=0, window=0, percentile=100.00%, depth={}\n",
      read.total_ios, write.total_ios, trim.total_ios, job.sync.total_ios, read.short_ios,
      write.short_ios, trim.short_ios, job.iodepth);
}

}  // namespace

std::string job_headline(const Job& job) {
  // fio's form of a range: one size is its own smallest and largest.
  const auto sizes = [&](std::size_t at) {
    const std::string size = bytes_text(static_cast<double>(job.block_size.at(at)), Base::iec);
    return size + "-" + size;
  };
  return fmt::format("{}: (g={}): rw={}, bs=(R) {}, (W) {}, (T) {}, ioengine={}, iodepth={}\n",
                     printable(job.jobname), job.groupid, printable(job.rw), sizes(0), sizes(1),
                     sizes(2), printable(job.ioengine), job.iodepth);
}

std::string job_text(const Job& job, const GroupFigures& group, std::string_view ended) {
  std::string out = head_line(job, ended);
  if (!job.description.empty()) {
    out += fmt::format("  Description  : [{}]\n", printable(job.description));
  }
  for (std::size_t at = 0; at < results::kDirections; ++at) {
    out += direction_block(job, at, group.at(at));
  }
  return out + class_lines(job) + sync_block(job) + cpu_line(job) + depth_lines(job) +
         issued_lines(job);
}

}  // namespace chronio::report

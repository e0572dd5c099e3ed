// json_write_direction.cpp: fio's `read`, `write`, `trim` and `sync` blocks and the latencies in
// them.
#include "results/figures.hpp"
#include "results/json_blocks.hpp"
#include "stats/fio_bins.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace chronio::results {
namespace {

/// Rounded down; figures that no run has (a damaged file's) end at the largest number.
std::uint64_t whole(double value) {
  if (!(value > 0)) return 0;
  return value < 0x1p64 ? static_cast<std::uint64_t>(value) : ~std::uint64_t{0};
}

/// Six decimals, as fio: consumers look up "99.000000".
std::string percentile_key(double percent) { return fmt::format("{:.6f}", percent); }

/// Whole ns, as fio.
Json percentile_block(const Distribution& distribution, const std::vector<double>& percent) {
  Json block = Json::object();
  for (const double p : percent) {
    const auto ns = stats::percentile(distribution.counts, distribution.moments, p);
    if (ns) block[percentile_key(p)] = whole(std::round(*ns));
  }
  return block;
}

Json stated_block(const Distribution& distribution) {
  Json block = Json::object();
  for (const auto& [percent, ns] : distribution.percentiles) block[percentile_key(percent)] = ns;
  return block;
}

/// fio's samples of bandwidth (KiB/s) and IOPS; null where there is no sample. Whole numbers for
/// bw_min, bw_max, iops_min and iops_max, as fio: some consumers decode them into integers.
void add_samples(Json& block, const Job& job, std::size_t direction, double group_bandwidth) {
  const Samples bw = samples_of(job, direction, &Interval::bytes);
  const Samples ios = samples_of(job, direction, &Interval::ios);
  const auto real = [&](double value) { return bw.n > 0 ? number(value) : Json(nullptr); };
  const auto whole_or_null = [&](double value) {
    return bw.n > 0 ? Json(whole(value)) : Json(nullptr);
  };
  const double share = group_bandwidth > 0 ? std::min(bw.mean * 100 / group_bandwidth, 100.0) : 0;
  block["bw_min"] = whole_or_null(bw.min / 1024);
  block["bw_max"] = whole_or_null(bw.max / 1024);
  block["bw_agg"] = real(share);
  block["bw_mean"] = real(bw.mean / 1024);
  block["bw_dev"] = real(bw.stddev / 1024);
  block["bw_samples"] = bw.n;
  block["iops_min"] = whole_or_null(ios.min);
  block["iops_max"] = whole_or_null(ios.max);
  block["iops_mean"] = real(ios.mean);
  block["iops_stddev"] = real(ios.stddev);
  block["iops_samples"] = ios.n;
}

}  // namespace

Json distribution_block(const Distribution& distribution, const std::vector<double>& percent,
                        Parts parts) {
  const stats::Moments& moments = distribution.moments;
  // Without samples fio writes zeros: `N` 0 tells that nothing was measured, and consumers require
  // the keys.
  Json block = {{"min", moments.n == 0 ? 0 : moments.min},
                {"max", moments.max},
                {"mean", number(moments.mean())},
                {"stddev", number(moments.stddev())},
                {"N", moments.n}};
  if (!distribution.percentiles.empty()) block["percentile"] = stated_block(distribution);
  // Percentiles of moments alone would be guesses.
  if (distribution.counts.empty()) return block;
  if (parts.percentile) block["percentile"] = percentile_block(distribution, percent);
  if (parts.bins) {
    Json& bins = block["bins"] = Json::object();
    for (const stats::FioBin& bin : stats::to_fio_bins(distribution.counts))
      bins[std::to_string(bin.midpoint_ns)] = bin.count;
  }
  return block;
}

Json direction_block(const Job& job, std::size_t index, const JobContext& context) {
  const Direction& direction = job.directions.at(index);
  const auto bytes_per_second = whole(bandwidth(direction));
  Json block = {{"io_bytes", direction.io_bytes},
                {"io_kbytes", direction.io_bytes / 1024},
                {"bw_bytes", bytes_per_second},
                {"bw", bytes_per_second / 1024},
                {"iops", number(iops(direction))},
                {"runtime", runtime_ms(direction.runtime_ns)},
                {"total_ios", direction.total_ios},
                {"short_ios", direction.short_ios},
                {"drop_ios", 0}};
  const auto latencies = [&](const Distribution& distribution, bool percentile) {
    return distribution_block(distribution, job.percentile_list, {percentile, context.plus});
  };
  block["slat_ns"] = latencies(direction.slat, job.slat_percentiles);
  block["clat_ns"] = latencies(direction.clat, job.clat_percentiles);
  block["lat_ns"] = latencies(direction.lat, job.lat_percentiles);
  add_samples(block, job, index, context.group_bandwidth.at(index));
  block["chronio"] = own_block(direction);
  return block;
}

Json sync_block(const Job& job, bool plus) {
  // fio has no option for those of syncs; they go with the others.
  const bool percentile = job.clat_percentiles || job.lat_percentiles;
  return {{"total_ios", job.sync.total_ios},
          {"lat_ns", distribution_block(job.sync.lat, job.percentile_list, {percentile, plus})},
          {"chronio", own_block(job.sync)}};
}

}  // namespace chronio::results

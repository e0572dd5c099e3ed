// json_read_fio.cpp: results that fio 2.99 and later wrote as json or json+, as far as they go.
#include "results/json.hpp"
#include "results/json_blocks.hpp"
#include "results/size_text.hpp"
#include "stats/fio_bins.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace chronio::results {
namespace {

constexpr double kLargest = 0x1p63;  // ns; more is no latency

/// json+ only. Keys are the middles of bins in ns, as text.
std::vector<stats::FioBin> read_bins(const Node& bins) {
  std::vector<stats::FioBin> list;
  for (const auto& [key, value] : bins.object().items()) {
    stats::FioBin bin;
    const char* const last = key.data() + key.size();
    const auto [end, error] = std::from_chars(key.data(), last, bin.midpoint_ns);
    if (error != std::errc() || end != last) bins.fail("latencies in ns as keys");
    bin.count = bins.at(key.c_str()).count();
    list.push_back(bin);
  }
  return list;
}

/// Sums that give back fio's rounded mean and stddev. So that a fio result can be compared and
/// written by the same code as ours. What rounding made impossible, or a damaged file holds, leaves
/// the sums 0.
void set_sums(stats::Moments& moments, double mean, double stddev) {
  const auto n = static_cast<double>(moments.n);
  const double sum = mean * n;
  const double about_mean = stddev * stddev * (n - 1);
  if (!(sum >= 0 && sum < kLargest) || !(about_mean >= 0 && about_mean < 0x1p126)) return;
  moments.sum = static_cast<std::uint64_t>(std::llround(sum));
  // In integers: a double of the whole sum of squares has no digits left for the deviation of a
  // steady device.
  const stats::Uint128 square = static_cast<stats::Uint128>(moments.sum) * moments.sum;
  const double rest = static_cast<double>(square % moments.n) / n;
  moments.sum_squares =
      square / moments.n + static_cast<stats::Uint128>(std::round(about_mean + rest));
}

/// Releases up to 3.7 at least do not state N: of `total_ios` all were measured, or none.
std::uint64_t samples_of(const Node& block, std::uint64_t total_ios) {
  if (block.has("N")) return block.at("N").count();
  return block.at("max").count() > 0 ? total_ios : 0;
}

Distribution read_distribution(const Node& block, std::uint64_t total_ios) {
  Distribution distribution;
  stats::Moments& moments = distribution.moments;
  moments.n = samples_of(block, total_ios);
  if (moments.n == 0) return distribution;
  moments.min = block.at("min").count();
  moments.max = block.at("max").count();
  if (moments.min > moments.max) block.at("min").fail("no more than max");
  set_sums(moments, block.at("mean").real(), block.at("stddev").real());
  if (block.has("bins")) distribution.counts = stats::from_fio_bins(read_bins(block.at("bins")));
  if (distribution.counts.empty()) distribution.percentiles = stated_percentiles(block);
  return distribution;
}

/// Of fio 2.x, which kept microseconds, only the names `clat`, `lat` are left; of newer ones,
/// `clat_ns`.
void refuse_microseconds(const Node& block) {
  for (const char* const key : {"slat", "clat", "lat"})
    if (block.has(key) && !block.has("clat_ns"))
      block.fail("a result of fio 2.99 or later: this one holds whole microseconds; run it again");
}

/// Empty where fio left the block out.
Distribution optional_distribution(const Node& block, const char* key, std::uint64_t total_ios) {
  return block.has(key) ? read_distribution(block.at(key), total_ios) : Distribution{};
}

/// Which percentiles fio states, and of which latencies: the same are shown of its bins.
void read_percentiles(const Node& block, Job& job) {
  const std::array<std::pair<const char*, bool*>, 3> kinds = {{{"slat_ns", &job.slat_percentiles},
                                                               {"clat_ns", &job.clat_percentiles},
                                                               {"lat_ns", &job.lat_percentiles}}};
  for (const auto& [key, shown] : kinds) {
    if (!block.has(key)) continue;
    const auto stated = stated_percentiles(block.at(key));
    *shown = *shown || !stated.empty();
    // One list of the job's holds for all of its latencies.
    if (!job.percentile_list.empty()) continue;
    for (const auto& percentile : stated) job.percentile_list.push_back(percentile.first);
  }
}

Direction read_direction(const Node& block) {
  refuse_microseconds(block);
  Direction direction;
  direction.total_ios = block.at("total_ios").count();
  direction.io_bytes = block.at("io_bytes").count();
  // fio keeps whole ms.
  direction.runtime_ns = block.at("runtime").count() * 1'000'000;
  if (block.has("short_ios")) direction.short_ios = block.at("short_ios").count();
  direction.slat = optional_distribution(block, "slat_ns", direction.total_ios);
  direction.clat = optional_distribution(block, "clat_ns", direction.total_ios);
  direction.lat = optional_distribution(block, "lat_ns", direction.total_ios);
  return direction;
}

/// fio writes options as strings; some releases wrote an empty list for an empty object.
void read_options(const Node& node, std::vector<Option>& options) {
  if (node.json().is_array()) return;
  for (const auto& [key, value] : node.object().items())
    options.push_back({key, node.at(key.c_str()).text(), "fio"});
}

/// An option's value by name, or `fallback`.
std::string option_or(const Job& job, std::string_view key, const char* fallback) {
  for (const Option& option : job.options)
    if (option.key == key) return option.value;
  return fallback;
}

std::uint32_t whole_number(const std::string& text, std::uint32_t fallback) {
  const auto value = size_of(text);
  return value && std::in_range<std::uint32_t>(*value) ? static_cast<std::uint32_t>(*value)
                                                       : fallback;
}

/// A job's own options win over the global ones. What fio left out has fio's default.
void read_workload(const Node& block, const std::vector<Option>& globals, Job& job) {
  if (block.has("job options")) read_options(block.at("job options"), job.options);
  for (const Option& global : globals)
    // A value never holds a newline: it came from one line.
    if (option_or(job, global.key, "\n") == "\n") job.options.push_back(global);
  // fio writes an option by the name that the user gave it, so an alias may stand there.
  job.rw = option_or(job, "rw", option_or(job, "readwrite", "read").c_str());
  job.bs = option_or(job, "bs", option_or(job, "blocksize", "4k").c_str());
  // fio's default on Linux.
  job.ioengine = option_or(job, "ioengine", "psync");
  job.iodepth = whole_number(option_or(job, "iodepth", "1"), 1);
  job.numjobs = whole_number(option_or(job, "numjobs", "1"), 1);
  job.block_size = block_sizes_of(job.bs);
}

void read_usage(const Node& block, Job& job) {
  const auto optional_count = [&](const char* key) {
    return block.has(key) ? block.at(key).count() : std::uint64_t{0};
  };
  job.usage.context_switches = optional_count("ctx");
  job.usage.major_faults = optional_count("majf");
  job.usage.minor_faults = optional_count("minf");
  // Releases as old as 3.7 do not state it.
  if (block.has("job_runtime")) job.runtime_sum_ns = optional_count("job_runtime") * 1'000'000;
  // fio states CPU time in percent alone.
  const auto cpu_ns = [&](const char* key) {
    const double percent = block.has(key) ? block.at(key).real() : 0;
    const double ns = percent / 100 * static_cast<double>(worker_time_ns(job));
    return ns >= 0 && ns < kLargest ? static_cast<std::uint64_t>(ns) : 0;
  };
  job.usage.user_ns = cpu_ns("usr_cpu");
  job.usage.system_ns = cpu_ns("sys_cpu");
}

Job read_job(const Node& block, const std::vector<Option>& globals) {
  Job job;
  job.jobname = block.at("jobname").text();
  // unified_rw_reporting=1 leaves nothing that could be compared by direction.
  if (block.has("mixed") && !block.has("read"))
    block.at("mixed").fail("read, write and trim: run fio without unified_rw_reporting");
  for (std::size_t d = 0; d < kDirections; ++d) {
    if (!block.has(kDirectionNames[d])) continue;  // old releases leave trim out
    job.directions[d] = read_direction(block.at(kDirectionNames[d]));
    read_percentiles(block.at(kDirectionNames[d]), job);
    job.runtime_ns = std::max(job.runtime_ns, job.directions[d].runtime_ns);
  }
  if (block.has("groupid")) job.groupid = small_number(block.at("groupid"));
  if (block.has("job_start")) job.job_start_ms = block.at("job_start").count();
  if (block.has("desc")) job.description = block.at("desc").text();
  if (block.has("elapsed")) job.elapsed_ns = block.at("elapsed").count() * 1'000'000'000;
  job.error = error_number(block.at("error"));
  if (block.has("sync")) {
    const Node sync = block.at("sync");
    job.sync.total_ios = sync.at("total_ios").count();
    job.sync.lat = optional_distribution(sync, "lat_ns", job.sync.total_ios);
  }
  read_workload(block, globals, job);
  read_usage(block, job);
  return job;
}

}  // namespace

Run read_fio_run(const Node& top) {
  if (!top.has("fio version"))
    throw ReadError("neither chronio's result nor fio's: no \"fio version\"");
  Run run;
  run.version = top.at("fio version").text();
  if (top.has("timestamp_ms"))
    run.timestamp_ms = top.at("timestamp_ms").count();
  else if (top.has("timestamp"))
    run.timestamp_ms = top.at("timestamp").count() * 1000;
  if (top.has("global options")) read_options(top.at("global options"), run.global_options);
  const Node jobs = top.at(top.has("client_stats") ? "client_stats" : "jobs");
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const Node job = jobs.at(i);
    // Client mode: each client's entry is there, too.
    if (job.at("jobname").text() == "All clients") continue;  // the sum of the others
    run.jobs.push_back(read_job(job, run.global_options));
  }
  run.notes.push_back(
      "read from " + run.version +
      ": means and deviations are as rounded there, histograms as coarse as its bins");
  return run;
}

}  // namespace chronio::results

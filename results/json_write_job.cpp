// json_write_job.cpp: one entry of fio's `jobs`.
#include "results/figures.hpp"
#include "results/json_blocks.hpp"

#include <array>
#include <numeric>
#include <span>

namespace chronio::results {
namespace {

/// Rounded up, so that a run which took place never has 0 s.
std::uint64_t seconds_up(std::uint64_t ns) {
  return ns / 1'000'000'000 + (ns % 1'000'000'000 != 0);
}

/// fio lists what the user wrote; consumers also want these four when nobody wrote them. They are
/// strings, as fio writes them; fio-plot needs rw, bs, iodepth and numjobs, and passes over a file
/// without.
Json job_options(const Job& job) {
  Json options = {{"name", utf8(job.jobname)}};
  // Defaults are in chronio.options: here they would hide what the user set.
  for (const Option& option : job.options)
    if (option.origin != "default") options[utf8(option.key)] = utf8(option.value);
  const auto fill = [&](const char* key, const std::string& value) {
    if (!options.contains(key)) options[key] = utf8(value);
  };
  fill("rw", job.rw);
  fill("bs", job.bs);
  fill("iodepth", std::to_string(job.iodepth));
  fill("numjobs", std::to_string(job.numjobs));
  return options;
}

std::uint64_t sum_of(std::span<const std::uint64_t> counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

/// Shares in percent under fio's `keys`. With nothing counted: null where I/Os were done, so that
/// they weren't looked at, and 0 where none were.
Json shares(std::span<const char* const> keys, std::span<const std::uint64_t> counts,
            std::uint64_t total, std::uint64_t total_ios) {
  Json block = Json::object();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (total > 0) {
      block[keys[i]] = static_cast<double>(counts[i]) * 100 / static_cast<double>(total);
    } else {
      block[keys[i]] = total_ios > 0 ? Json(nullptr) : Json(0.0);
    }
  }
  return block;
}

/// Keys are fio's, and name the lower end of a level, but the upper end of a batch.
void add_depths(Json& block, const Job& job, std::uint64_t total_ios) {
  constexpr std::array kLevels = {"1", "2", "4", "8", "16", "32", ">=64"};
  constexpr std::array kBatches = {"0", "4", "8", "16", "32", "64", ">=64"};
  const auto add = [&](const char* key, std::span<const char* const> keys, const auto& counts) {
    block[key] = shares(keys, counts, sum_of(counts), total_ios);
  };
  add("iodepth_level", kLevels, job.depths.level);
  add("iodepth_submit", kBatches, job.depths.submit);
  add("iodepth_complete", kBatches, job.depths.complete);
}

/// Of all I/Os, so that the three blocks add up to 100.
void add_latency_classes(Json& block, const Job& job, std::uint64_t total_ios) {
  constexpr std::array kKeys = {"2",   "4",   "10",  "20",   "50",   "100",
                                "250", "500", "750", "1000", "2000", ">=2000"};
  const auto classes = latency_classes(job);
  const std::span<const std::uint64_t> counts(classes);
  const std::span<const char* const> keys(kKeys);
  const std::uint64_t total = sum_of(counts);
  block["latency_ns"] = shares(keys.first(10), counts.first(10), total, total_ios);
  block["latency_us"] = shares(keys.first(10), counts.subspan(10, 10), total, total_ios);
  block["latency_ms"] = shares(keys, counts.subspan(20), total, total_ios);
}

/// Counts and shares of the workers' threads alone.
void add_usage(Json& block, const Job& job) {
  const bool measured = worker_time_ns(job) > 0;
  const auto percent = [&](std::uint64_t ns) {
    return measured ? number(cpu_percent(ns, job)) : Json(nullptr);
  };
  block["job_runtime"] = runtime_ms(worker_time_ns(job));
  block["usr_cpu"] = percent(job.usage.user_ns);
  block["sys_cpu"] = percent(job.usage.system_ns);
  block["ctx"] = job.usage.context_switches;
  block["majf"] = job.usage.major_faults;
  block["minf"] = job.usage.minor_faults;
}

}  // namespace

Json job_block(const Job& job, const JobContext& context) {
  // fio's order of keys, which people know their way about in.
  Json block = {{"jobname", utf8(job.jobname)},
                {"groupid", job.groupid},
                {"job_start", job.job_start_ms},
                {"error", job.error},
                {"eta", 0},
                {"elapsed", seconds_up(job.elapsed_ns)}};
  if (!job.description.empty()) block["desc"] = utf8(job.description);
  block["job options"] = job_options(job);
  std::uint64_t total_ios = 0;
  for (std::size_t d = 0; d < kDirections; ++d) {
    block[kDirectionNames[d]] = direction_block(job, d, context);
    total_ios += job.directions[d].total_ios;
  }
  block["sync"] = sync_block(job, context.plus);
  add_usage(block, job);
  add_depths(block, job, total_ios);
  add_latency_classes(block, job, total_ios);
  // What fio writes for a job without a latency target.
  block["latency_depth"] = job.iodepth;
  block["latency_target"] = 0;
  block["latency_percentile"] = 100.0;
  block["latency_window"] = 0;
  block["chronio"] = own_block(job);
  return block;
}

}  // namespace chronio::results

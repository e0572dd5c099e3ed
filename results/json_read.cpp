// json_read.cpp: which kind of result a text is, and chronio's own read back exactly.
#include "results/json.hpp"
#include "results/json_blocks.hpp"

#include <charconv>
#include <fmt/format.h>
#include <utility>

namespace chronio::results {
namespace {

/// What fio's keys hold exactly of a distribution whose own block has been read. min, max and N are
/// whole numbers in fio's keys, too; sum and sum of squares came with the own block.
void read_moments(const Node& block, Distribution& distribution) {
  stats::Moments& moments = distribution.moments;
  moments.n = block.at("N").count();
  if (moments.n > 0) {
    moments.min = block.at("min").count();
    moments.max = block.at("max").count();
    if (moments.min > moments.max) block.at("min").fail("no more than max");
  } else if (!distribution.counts.empty()) {
    // Percentiles are clamped to min and max, which are unset then.
    block.at("N").fail("the number of latencies in the histogram");
  }
  if (distribution.counts.empty()) distribution.percentiles = stated_percentiles(block);
}

/// Counts and bytes from fio's keys, histograms and sums from the own block, then what only both
/// together give.
void read_direction(const Node& block, Direction& direction) {
  direction.total_ios = block.at("total_ios").count();
  direction.short_ios = block.at("short_ios").count();
  direction.io_bytes = block.at("io_bytes").count();
  read_own_block(block.at("chronio"), direction);
  read_moments(block.at("slat_ns"), direction.slat);
  read_moments(block.at("clat_ns"), direction.clat);
  read_moments(block.at("lat_ns"), direction.lat);
}

/// Asking the histogram for any other is against its contract.
void check_percentiles(const Node& own, const Job& job) {
  for (const double percent : job.percentile_list)
    if (!(percent >= 0 && percent <= 100))
      own.at("percentile_list").fail("percentiles from 0 to 100");
}

Job read_job(const Node& block) {
  Job job;
  job.jobname = block.at("jobname").text();
  job.groupid = small_number(block.at("groupid"));
  job.job_start_ms = block.at("job_start").count();
  job.error = error_number(block.at("error"));
  // Written only when there is one.
  if (block.has("desc")) job.description = block.at("desc").text();
  for (std::size_t d = 0; d < kDirections; ++d)
    read_direction(block.at(kDirectionNames[d]), job.directions[d]);
  const Node sync = block.at("sync");
  job.sync.total_ios = sync.at("total_ios").count();
  read_own_block(sync.at("chronio"), job.sync);
  read_moments(sync.at("lat_ns"), job.sync.lat);
  read_own_block(block.at("chronio"), job);
  check_percentiles(block.at("chronio"), job);
  return job;
}

}  // namespace

std::uint32_t small_number(const Node& node) {
  const std::uint64_t value = node.count();
  if (!std::in_range<std::uint32_t>(value)) node.fail("a number below 2^32");
  return static_cast<std::uint32_t>(value);
}

int error_number(const Node& node) {
  const std::int64_t value = node.integer();
  if (!std::in_range<int>(value)) node.fail("an error number");
  return static_cast<int>(value);
}

// Keys are numbers as text: by from_chars, so that no locale reads "99.9" as 99.
std::vector<std::pair<double, std::uint64_t>> stated_percentiles(const Node& block) {
  std::vector<std::pair<double, std::uint64_t>> list;
  if (!block.has("percentile")) return list;
  const Node percentiles = block.at("percentile");
  for (const auto& [key, value] : percentiles.object().items()) {
    double percent = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), percent);
    const bool whole = error == std::errc() && end == key.data() + key.size();
    if (!whole || !(percent >= 0 && percent <= 100)) percentiles.fail("percentiles from 0 to 100");
    list.emplace_back(percent, percentiles.at(key.c_str()).count());
  }
  return list;
}

Run read_own_run(const Node& top) {
  const Node own = top.at("chronio");
  // First of all: under another schema members may mean anything.
  if (own.at("schema").text() != kSchema)
    throw ReadError(
        fmt::format("schema {}: this chronio reads {}", own.at("schema").text(), kSchema));
  Run run;
  run.timestamp_ms = top.at("timestamp_ms").count();
  read_own_block(own, run);
  const Node jobs = top.at("jobs");
  for (std::size_t i = 0; i < jobs.size(); ++i) run.jobs.push_back(read_job(jobs.at(i)));
  return run;
}

Run from_json(std::string_view text) {
  const Json tree = parse(text);
  const Node top(tree);
  // Both kinds have fio's keys; only ours has this block.
  return top.has("chronio") ? read_own_run(top) : read_fio_run(top);
}

}  // namespace chronio::results

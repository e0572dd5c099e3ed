// doubts.cpp: compares what a job asked of its engine with what the engine and the loop saw.
#include "runner/doubts.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace chronio::runner {
namespace {

/// Reaching the depth and draining at the end must not weigh: ten times the depth is enough.
bool is_long_enough(const results::Job& job) {
  return results::issued(job) >= std::uint64_t{10} * job.iodepth * job.workers;
}

std::string depth(const results::Job& job) {
  const double mean = results::per_io(job, job.depths.depth_sum).value_or(0);
  // Half, since a queue is refilled in batches and is not full all the time; below 4 a mean says
  // little.
  if (job.iodepth < 4 || mean * 2 >= job.iodepth) return {};
  return fmt::format("the mean depth was {:.1f}, under half of iodepth={}", mean, job.iodepth);
}

std::string inline_completions(const results::Job& job) {
  const std::int64_t done = job.facts.inline_completions.value_or(0);
  const std::uint64_t ios = results::issued(job);
  // Most of them: a few hits of the page cache are usual, and no reason to doubt a depth.
  if (job.iodepth == 1 || static_cast<std::uint64_t>(done) * 2 < ios) return {};
  return fmt::format(
      "{} of {} I/Os were done while they were submitted: the device, if it was asked at all, did "
      "not "
      "see iodepth={}",
      done, ios, job.iodepth);
}

std::string workers(const results::Job& job) {
  const std::int64_t seen = job.facts.kernel_workers.value_or(0);
  // Where the job itself sent them there (force_async), it knows.
  if (seen == 0 || job.facts.punts.value_or(0) != 0) return {};
  return fmt::format(
      "{} of the kernel did I/O for this job: requests that would have had to wait in the "
      "submission "
      "waited there",
      seen == 1 ? std::string("a worker thread") : fmt::format("{} worker threads", seen));
}

std::string polling(const results::Job& job) {
  // What the engine can't tell is no doubt.
  if (job.facts.polled.value_or(1) != 0) return {};
  return "hipri was asked for, but no completion came by polling";
}

}  // namespace

bool asks_to_poll(const PlannedJob& planned) {
  return std::any_of(
      planned.engine_options.begin(), planned.engine_options.end(),
      [](const EngineOption& option) { return option.name == "hipri" && option.number != 0; });
}

std::vector<std::string> doubts_of(const results::Job& job, bool polls) {
  std::vector<std::string> doubts;
  const auto add = [&doubts](std::string doubt) {
    if (!doubt.empty()) doubts.push_back(std::move(doubt));
  };
  if (polls && results::issued(job) != 0) add(polling(job));
  if (job.synchronous || !is_long_enough(job)) return doubts;
  add(depth(job));
  add(inline_completions(job));
  add(workers(job));
  return doubts;
}

}  // namespace chronio::runner

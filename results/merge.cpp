// merge.cpp: workers of one group made into one job.
#include "results/merge_pmu.hpp"
#include "results/run.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>

namespace chronio::results {
namespace {

/// Exact: sums, extremes and counts add without rounding, in any order.
void merge(Distribution& into, const Distribution& from) {
  into.moments.merge(from.moments);
  stats::merge(into.counts, from.counts);
  into.percentiles.clear();  // stated percentiles can't be added; those of counts are computed
}

void merge(Direction& into, const Direction& from) {
  into.total_ios += from.total_ios;
  into.short_ios += from.short_ios;
  into.io_bytes += from.io_bytes;
  // The group worked as long as its slowest member; rates are its bytes by that time, as fio's.
  into.runtime_ns = std::max(into.runtime_ns, from.runtime_ns);
  merge(into.slat, from.slat);
  merge(into.clat, from.clat);
  merge(into.lat, from.lat);
}

template <class T, std::size_t N>
void add(std::array<T, N>& into, const std::array<T, N>& from) {
  std::transform(into.begin(), into.end(), from.begin(), into.begin(), std::plus<>());
}

void merge(Depths& into, const Depths& from) {
  add(into.level, from.level);
  add(into.submit, from.submit);
  add(into.complete, from.complete);
  into.depth_sum += from.depth_sum;
}

void add(Interval& into, const Interval& from) {
  add(into.ios, from.ios);
  add(into.bytes, from.bytes);
}

/// The median: the first and the last interval are shorter than the others.
std::uint64_t usual_length(const std::vector<Interval>& intervals) {
  std::vector<std::uint64_t> lengths;
  lengths.reserve(intervals.size());
  for (const Interval& interval : intervals) lengths.push_back(interval.length_ns);
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  return middle == lengths.end() ? 0 : *middle;
}

/// Joins neighbours, as the runner does when a job runs for long, until its intervals are as long.
void lengthen(std::vector<Interval>& intervals, std::uint64_t length_ns) {
  while (intervals.size() > 1 && usual_length(intervals) * 3 / 2 < length_ns) {
    std::size_t joined = 0;
    for (std::size_t i = 0; i < intervals.size(); i += 2, ++joined) {
      intervals[joined] = intervals[i];
      if (i + 1 == intervals.size()) continue;
      intervals[joined].length_ns += intervals[i + 1].length_ns;
      add(intervals[joined], intervals[i + 1]);
    }
    intervals.resize(joined);
  }
}

/// Intervals of one place are taken as of the same time, so that a sample is of the whole group.
void merge(std::vector<Interval>& into, std::vector<Interval> from) {
  // One that ran for longer may have longer ones.
  lengthen(from, usual_length(into));
  lengthen(into, usual_length(from));
  if (into.size() < from.size()) into.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    const bool fresh = into[i].length_ns == 0;
    into[i].start_ns = fresh ? from[i].start_ns : std::min(into[i].start_ns, from[i].start_ns);
    into[i].length_ns = std::max(into[i].length_ns, from[i].length_ns);
    add(into[i], from[i]);
  }
}

/// Known only where both know.
void add(std::optional<std::int64_t>& into, std::optional<std::int64_t> from) {
  std::int64_t sum = 0;
  const bool known = into && from && !__builtin_add_overflow(*into, *from, &sum);
  into = known ? std::optional(sum) : std::nullopt;
}

/// A yes or no of every worker: yes when all say so.
void all_of(std::optional<std::int64_t>& into, std::optional<std::int64_t> from) {
  into = into && from ? std::optional(std::min(*into, *from)) : std::nullopt;
}

void merge(EngineFacts& into, const EngineFacts& from) {
  add(into.polled, from.polled);
  all_of(into.fixed_buffers, from.fixed_buffers);
  all_of(into.registered_files, from.registered_files);
  add(into.enter_calls, from.enter_calls);
  add(into.inline_completions, from.inline_completions);
  add(into.punts, from.punts);
  all_of(into.sq_poll, from.sq_poll);
  add(into.kernel_workers, from.kernel_workers);
}

template <class T>
void append_new(std::vector<T>& into, const T& value) {
  if (std::find(into.begin(), into.end(), value) == into.end()) into.push_back(value);
}

/// Each file once, though each worker of a group has opened it.
void merge_targets(std::vector<TargetInfo>& into, const std::vector<TargetInfo>& from) {
  for (const TargetInfo& target : from) {
    const bool known = std::any_of(into.begin(), into.end(),
                                   [&](const auto& seen) { return seen.path == target.path; });
    if (!known) into.push_back(target);
  }
}

}  // namespace

void merge(Job& into, const Job& from) {
  // First: it is made of the run times as they were before.
  into.runtime_sum_ns = worker_time_ns(into) + worker_time_ns(from);
  into.workers += from.workers;
  // A group may hold several jobs, and the entry has the name of one.
  if (from.jobname != into.jobname) append_new(into.notes, "also holds job " + from.jobname);
  into.job_start_ms = std::min(into.job_start_ms, from.job_start_ms);
  into.runtime_ns = std::max(into.runtime_ns, from.runtime_ns);
  into.elapsed_ns = std::max(into.elapsed_ns, from.elapsed_ns);
  into.synchronous = into.synchronous && from.synchronous;
  for (std::size_t i = 0; i < kDirections; ++i) merge(into.directions[i], from.directions[i]);
  into.sync.total_ios += from.sync.total_ios;
  merge(into.sync.lat, from.sync.lat);
  merge(into.depths, from.depths);
  const bool logged = into.pmu.log || from.pmu.log;
  // Before usage is added: the weights are the CPU times of the two sides.
  merge(into.pmu, from.pmu, into.usage.user_ns + into.usage.system_ns,
        from.usage.user_ns + from.usage.system_ns);
  into.usage += from.usage;
  merge(into.facts, from.facts);
  merge(into.intervals, from.intervals);
  merge_targets(into.targets, from.targets);
  // The first error of the first worker that had one, as a job's own.
  if (into.error == 0) into.error = from.error;
  into.errors.insert(into.errors.end(), from.errors.begin(), from.errors.end());
  for (const std::string& note : from.notes) append_new(into.notes, note);
  if (logged)
    append_new(into.notes, std::string("pmu_log has no effect with group_reporting: windows of "
                                       "several threads are no series"));
  into.outstanding += from.outstanding;
  into.negative_deltas += from.negative_deltas;
  if (into.migrated_ios && from.migrated_ios)
    *into.migrated_ios += *from.migrated_ios;
  else
    into.migrated_ios.reset();
}

}  // namespace chronio::results

// series.cpp: intervals by difference of totals.
#include "runner/series.hpp"

namespace chronio::runner {
namespace {

void join(results::Interval& into, const results::Interval& next) {
  into.length_ns += next.length_ns;
  for (std::size_t i = 0; i < results::kDirections; ++i) {
    into.ios[i] += next.ios[i];
    into.bytes[i] += next.bytes[i];
  }
}

}  // namespace

results::Interval between(const Totals& from, const Totals& to) noexcept {
  results::Interval interval;
  for (std::size_t i = 0; i < results::kDirections; ++i) {
    interval.ios[i] = to.ios[i] - from.ios[i];
    interval.bytes[i] = to.bytes[i] - from.bytes[i];
  }
  return interval;
}

void Series::add(std::uint64_t now_ns, const Totals& totals) {
  // An interval has a length, or no rate could be made of it.
  if (now_ns <= last_ns_) return;
  results::Interval interval = between(last_, totals);
  interval.start_ns = last_ns_;
  interval.length_ns = now_ns - last_ns_;
  last_ = totals;
  last_ns_ = now_ns;
  // After a doubling an interval takes in as many calls as it is longer.
  if (calls_ != 0 && calls_ < calls_per_interval_) {
    join(intervals_.back(), interval);
    ++calls_;
    return;
  }
  if (intervals_.size() == kMost) join_neighbours();
  intervals_.push_back(interval);
  calls_ = 1;
}

void Series::close(std::uint64_t end_ns, const Totals& totals) {
  // The usual case: the worker went on after the last sample.
  if (end_ns > last_ns_) return add(end_ns, totals);
  if (intervals_.empty()) return;
  // The last sample was taken behind the worker's own end: it is too long, and may lack the last
  // I/Os.
  join(intervals_.back(), between(last_, totals));
  // An interval that would begin behind the end gives its counts to the one before.
  while (intervals_.size() > 1 && intervals_.back().start_ns >= end_ns) {
    const results::Interval beyond = intervals_.back();
    intervals_.pop_back();
    join(intervals_.back(), beyond);
  }
  intervals_.back().length_ns = end_ns - intervals_.back().start_ns;
  last_ = totals;
  last_ns_ = end_ns;
}

void Series::join_neighbours() {
  for (std::size_t i = 0; i < kMost / 2; ++i) {
    intervals_[i] = intervals_[2 * i];
    join(intervals_[i], intervals_[2 * i + 1]);
  }
  intervals_.resize(kMost / 2);
  // Half the resolution, for as long again as all up to now.
  calls_per_interval_ *= 2;
}

}  // namespace chronio::runner

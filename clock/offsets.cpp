// offsets.cpp: closes the bounds between pairs over all CPUs by shortest paths.
#include "clock/offsets.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace chronio::clock {
namespace {

constexpr std::int64_t kUnknown = Bounds{}.most;

/// The pair whose bounds lie farthest from 0.
std::optional<Skew> largest_skew(const ProbeRecord& record, const OffsetMatrix& matrix) {
  std::optional<Skew> largest;
  for (std::size_t first = 0; first < record.cpus.size(); ++first) {
    for (std::size_t second = first + 1; second < record.cpus.size(); ++second) {
      const Bounds bounds = matrix.at(first, second);
      // An open end lies far on the harmless side of 0 and needs no case of its own.
      const std::int64_t proven = std::max(bounds.least, -bounds.most);
      if (proven <= 0 || (largest && largest->at_least_ticks >= proven)) continue;
      largest = Skew{record.cpus[first], record.cpus[second], proven};
    }
  }
  return largest;
}

/// Pairs in which at least one CPU was not probed.
std::uint32_t pairs_left_out(const ProbeRecord& record) {
  const std::size_t probed = record.cpus.size();
  const std::size_t left = record.left_out;
  return static_cast<std::uint32_t>(probed * left + left * (left > 0 ? left - 1 : 0) / 2);
}

/// Positions in `record` of other CPUs. REQUIRES: all are in there.
std::vector<std::size_t> seats_of(const std::vector<int>& cpus, const ProbeRecord& record) {
  std::vector<std::size_t> seats;
  for (const int cpu : cpus) {
    const auto seat = std::find(record.cpus.begin(), record.cpus.end(), cpu);
    seats.push_back(static_cast<std::size_t>(seat - record.cpus.begin()));
  }
  return seats;
}

/// Where in a record each pair of its CPUs stands. 256 CPUs have 32,640 pairs: to look for each of
/// them among all takes longer than probing may.
class PairPlaces {
 public:
  explicit PairPlaces(const ProbeRecord& record)
      : cpus_(record.cpus.size()), places_(cpus_ * cpus_, kNone) {
    for (std::size_t i = 0; i < record.pairs.size(); ++i) of(record.pairs[i]) = i;
  }

  /// kNone: it is not in there.
  std::size_t& of(const PairResult& pair) { return places_[pair.first * cpus_ + pair.second]; }
  static constexpr std::size_t kNone = ~std::size_t{0};

 private:
  std::size_t cpus_;
  std::vector<std::size_t> places_;
};

void narrow(PairResult& pair, const PairResult& more) {
  pair.bounds.least = std::max(pair.bounds.least, more.bounds.least);
  pair.bounds.most = std::min(pair.bounds.most, more.bounds.most);
  pair.interleavings += more.interleavings;
}

void merge_pairs(ProbeRecord& record, const ProbeRecord& more) {
  // The same CPU has another position in a record of fewer.
  const std::vector<std::size_t> seats = seats_of(more.cpus, record);
  PairPlaces places(record);
  for (PairResult pair : more.pairs) {
    pair.first = seats[pair.first];
    pair.second = seats[pair.second];
    std::size_t& place = places.of(pair);
    if (place != PairPlaces::kNone) {
      narrow(record.pairs[place], pair);
      continue;
    }
    place = record.pairs.size();
    record.pairs.push_back(pair);
  }
}

}  // namespace

void merge(ProbeRecord& record, const ProbeRecord& more) {
  merge_pairs(record, more);
  const bool whole = more.cpus.size() == record.cpus.size();  // else no loop went through all CPUs
  if (whole) record.order.loops += more.order.loops;
  record.order.inversions += more.order.inversions;
  record.order.largest_ticks = std::max(record.order.largest_ticks, more.order.largest_ticks);
  for (const int cpu : more.unsteady)
    if (std::find(record.unsteady.begin(), record.unsteady.end(), cpu) == record.unsteady.end())
      record.unsteady.push_back(cpu);
}

OffsetMatrix::OffsetMatrix(std::size_t cpus) : cpus_(cpus), most_(cpus * cpus, kUnknown) {
  for (std::size_t i = 0; i < cpus; ++i) most(i, i) = 0;
}

/// One bound in each direction: a lower bound is the negative upper bound of the other way.
std::int64_t& OffsetMatrix::most(std::size_t first, std::size_t second) {
  return most_[first * cpus_ + second];
}

std::int64_t OffsetMatrix::most(std::size_t first, std::size_t second) const {
  return most_[first * cpus_ + second];
}

void OffsetMatrix::add(std::size_t first, std::size_t second, const Bounds& bounds) {
  most(first, second) = std::min(most(first, second), bounds.most);
  most(second, first) = std::min(most(second, first), -bounds.least);
}

void OffsetMatrix::add(const OffsetMatrix& other) {
  for (std::size_t i = 0; i < most_.size(); ++i) most_[i] = std::min(most_[i], other.most_[i]);
}

void OffsetMatrix::tighten(std::size_t first, std::size_t via) {
  const std::int64_t to_via = most(first, via);
  if (to_via == kUnknown) return;
  for (std::size_t second = 0; second < cpus_; ++second) {
    const std::int64_t onward = most(via, second);
    // Added to a negative bound, the open end would come out as a bound.
    if (onward == kUnknown) continue;
    most(first, second) = std::min(most(first, second), to_via + onward);
  }
}

bool OffsetMatrix::close() {
  for (std::size_t via = 0; via < cpus_; ++via) {
    for (std::size_t first = 0; first < cpus_; ++first) tighten(first, via);
  }
  for (std::size_t i = 0; i < cpus_; ++i) {
    // The shortest way from a CPU to itself: no constant offset from oneself is below 0.
    if (most(i, i) < 0) return false;
  }
  return true;
}

std::optional<std::int64_t> OffsetMatrix::certified() const {
  std::int64_t largest = 0;
  for (const std::int64_t bound : most_) {
    if (bound == kUnknown) return std::nullopt;
    largest = std::max(largest, std::abs(bound));
  }
  return largest;
}

Bounds OffsetMatrix::at(std::size_t first, std::size_t second) const {
  return {-most(second, first), most(first, second)};
}

OffsetVerdict judge(const ProbeRecord& record) {
  OffsetVerdict verdict;
  verdict.unsteady = record.unsteady;
  verdict.left_out = record.left_out;
  verdict.order = record.order;
  verdict.taken = record.taken;
  verdict.pairs_insufficient = pairs_left_out(record);
  OffsetMatrix matrix(record.cpus.size());
  for (const PairResult& pair : record.pairs) {
    // Bounds by fewer meetings are true as well, but their CPUs may never have run at the same
    // time: what rests on them must not be called certified.
    if (pair.interleavings >= record.quality) {
      ++verdict.pairs_checked;
      matrix.add(pair.first, pair.second, pair.bounds);
    } else {
      ++verdict.pairs_insufficient;
    }
  }
  verdict.contradiction = !matrix.close();
  if (!verdict.contradiction) {
    const bool all = record.left_out == 0 && !record.cpus.empty();
    // A CPU that was not probed may lie anywhere.
    if (all) verdict.bound_ticks = matrix.certified();
    verdict.skew = largest_skew(record, matrix);
  }
  verdict.matrix = std::move(matrix);
  return verdict;
}

bool drifted(const OffsetVerdict& start, const OffsetVerdict& end) {
  // Contradictory bounds exclude everything, the start's offsets, too; that has been told by
  // itself.
  if (start.contradiction || end.contradiction) return false;
  // If the offsets were constant, they would satisfy both sets of bounds at once.
  OffsetMatrix both = start.matrix;
  both.add(end.matrix);
  return !both.close();
}

std::optional<std::int64_t> largest_drift(const OffsetVerdict& start, const OffsetVerdict& end) {
  if (!start.bound_ticks || !end.bound_ticks) return std::nullopt;
  std::int64_t largest = 0;
  for (std::size_t first = 0; first < start.matrix.cpus(); ++first)
    for (std::size_t second = first + 1; second < start.matrix.cpus(); ++second) {
      const Bounds before = start.matrix.at(first, second);
      const Bounds after = end.matrix.at(first, second);
      // From one end of the earlier bounds to the other end of the later ones.
      largest = std::max({largest, after.most - before.least, before.most - after.least});
    }
  return largest;
}

std::vector<std::vector<Meeting>> tournament(std::size_t cpus) {
  if (cpus < 2) return {};
  // One seat stays, the others move on around the table; an odd number gets an empty seat.
  const std::size_t seats = cpus + cpus % 2;
  const std::size_t moving = seats - 1;
  std::vector<std::vector<Meeting>> rounds(moving);
  for (std::size_t round = 0; round < moving; ++round) {
    for (std::size_t k = 0; k < seats / 2; ++k) {
      const std::size_t one = k == 0 ? moving : (round + k) % moving;
      const std::size_t other = (round + moving - k) % moving;
      if (one >= cpus || other >= cpus) continue;
      rounds[round].push_back({std::min(one, other), std::max(one, other)});
    }
  }
  return rounds;
}

}  // namespace chronio::clock

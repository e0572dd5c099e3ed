// cluster.cpp: bracketed readings of the kernel's clock, and their filtered mean.
#include "clock/cluster.hpp"

#include "clock/machine.hpp"
#include "clock/ticks.hpp"

#include <algorithm>
#include <limits>

namespace chronio::clock {

Cluster average(std::span<const Bracket> brackets, Origin origin, double granule_ticks,
                unsigned bits) {
  const auto width = [bits](const Bracket& bracket) {
    return ticks_between(bracket.before, bracket.after, bits);
  };
  std::int64_t narrowest = std::numeric_limits<std::int64_t>::max();
  for (const Bracket& bracket : brackets) narrowest = std::min(narrowest, width(bracket));
  // Wider ones hold an interrupt or a cache miss; within a granule no width is better than another.
  const double widest = static_cast<double>(narrowest) + std::max(granule_ticks, 1.0);

  Cluster cluster;
  for (const Bracket& bracket : brackets) {
    if (static_cast<double>(width(bracket)) > widest) continue;
    const auto start = static_cast<double>(ticks_between(origin.ticks, bracket.before, bits));
    // Where in its bracket the kernel's clock was read is unknown, but much the same each time: it
    // shifts all clusters alike, which no slope shows.
    cluster.ticks += start + static_cast<double>(width(bracket)) / 2;
    cluster.ns += static_cast<double>(ticks_between(origin.raw_ns, bracket.raw_ns));
    ++cluster.kept;
  }
  cluster.ticks /= cluster.kept;
  cluster.ns /= cluster.kept;
  return cluster;
}

std::vector<Bracket> take_brackets(CounterKind kind, std::size_t count) {
  // Touched before the first reading: a page fault would be in a bracket.
  std::vector<Bracket> brackets(count);
  visit_counter(kind, [&](auto counter) {
    for (Bracket& bracket : brackets) {
      bracket.before = counter.now();
      bracket.raw_ns = raw_ns();
      bracket.after = counter.now();
    }
  });
  return brackets;
}

MonotonicPoint take_monotonic_point(Origin origin, std::size_t count) {
  const std::vector<Bracket> brackets = take_brackets(CounterKind::monotonic, count);
  // Counted from the same origin, a cluster's "ticks" are CLOCK_MONOTONIC's nanoseconds.
  const Cluster cluster = average(brackets, {origin.raw_ns, origin.raw_ns}, 1, 64);
  return {cluster.ns, cluster.ticks - cluster.ns};
}

}  // namespace chronio::clock

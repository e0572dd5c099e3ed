// fake_cpus.hpp: CPUs with faulty counters under one virtual time, and probes of them that take no
// real time: what the clock's judgement is tested with.
#pragma once

#include "clock/burst.hpp"
#include "clock/cluster.hpp"
#include "clock/counter.hpp"
#include "clock/offsets.hpp"
#include "clock/sequence.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace chronio::test {

/// A time that does not come.
inline constexpr double kNever = std::numeric_limits<double>::infinity();

/// What may be wrong with the counter of one CPU; none of it by default. Times are virtual ns.
struct Fault {
  double skew_ns = 0;  ///< ahead of the others by
  double ppm = 0;      ///< faster than the others by
  /// From then on the counter stands still.
  double stuck_at_ns = kNever;
  double back_at_ns = kNever;  ///< from then on back_by_ns behind
  double back_by_ns = 0;
};

/// CPUs that share one virtual time, which goes on only by what is done to them: a test takes no
/// real time and comes out the same for the same seed. Not for more than one thread.
struct FakeCpus {
  explicit FakeCpus(std::size_t cpus, std::uint64_t seed) : faults(cpus), dice(seed) {}

  std::vector<Fault> faults;
  /// Readings are multiples of it.
  double granule_ns = 10;
  double ghz = 2.4454;         ///< ticks per ns
  double read_cost_ns = 20;    ///< of one reading; some us when it is trapped
  double step_at_ns = kNever;  ///< from then on all counters are ahead by step_by_ns
  double step_by_ns = 0;
  unsigned bits = 64;               ///< width of the counters
  std::uint64_t start = 1'000'000;  ///< ticks at virtual time 0
  double preempted = 0.002;         ///< share of readings that are held up for some 0.5 ms
  double now_ns = 0;                ///< virtual time
  std::mt19937_64 dice;

  /// The counter of `cpu` at `ns` of virtual time.
  [[nodiscard]] std::uint64_t at(std::size_t cpu, double ns) const {
    const Fault& fault = faults[cpu];
    ns = std::min(ns, fault.stuck_at_ns);
    double own = ns * (1 + fault.ppm * 1e-6) + fault.skew_ns;
    if (ns >= fault.back_at_ns) own -= fault.back_by_ns;
    if (ns >= step_at_ns) own += step_by_ns;
    own = std::floor(own / granule_ns) * granule_ns;
    const auto ticks = start + static_cast<std::uint64_t>(std::llround(own * ghz));
    return bits == 64 ? ticks : ticks & ((std::uint64_t{1} << bits) - 1);
  }

  /// The counter of `cpu` now, in ticks; time goes on by what a reading costs.
  std::uint64_t read(std::size_t cpu) {
    now_ns += read_cost_ns;
    return at(cpu, now_ns);
  }

  /// From one end to the other, all alike.
  [[nodiscard]] double uniform(double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(dice);
  }
  /// Many small ones, a few large ones.
  [[nodiscard]] double exponential(double mean) {
    return std::exponential_distribution<double>(1 / mean)(dice);
  }
  /// How long a stamp takes to the other CPU, in ns: 40 and more, sometimes much more. The least of
  /// many is what bounds an offset, so that the tail tests whether it is left out.
  [[nodiscard]] double crossing() {
    const double held_up = uniform(0, 1) < preempted ? exponential(5e5) : 0;
    return 40 + exponential(15) + held_up;
  }
};

/// A counter as the worker loop knows it, on one of the CPUs. Borrows the world, which has to
/// outlive it.
template <unsigned Bits = 64>
struct FakeCounter {
  static constexpr unsigned kBits = Bits;
  static constexpr bool kTellsCpu = true;
  FakeCpus* world = nullptr;
  std::uint32_t cpu = 0;

  [[nodiscard]] std::uint64_t now() const noexcept { return world->read(cpu); }
  [[nodiscard]] clock::Stamp stamp() const noexcept { return {now(), cpu}; }
};
static_assert(clock::Counter<FakeCounter<>> && clock::Counter<FakeCounter<56>>);

/// The world's granule in ticks, as the analysis wants it.
inline double granule_ticks(const FakeCpus& world) { return world.granule_ns * world.ghz; }

/// A record that knows its CPUs and has no readings yet. `quality`: how many meetings of a pair are
/// asked for.
inline clock::ProbeRecord empty_record(const FakeCpus& world, std::uint32_t quality) {
  clock::ProbeRecord record;
  record.quality = quality;
  for (std::size_t cpu = 0; cpu < world.faults.size(); ++cpu)
    record.cpus.push_back(static_cast<int>(cpu));
  return record;
}

/// 128 stamps of one CPU seen by another, as clock/pair_probe.hpp takes them.
inline clock::Burst burst(FakeCpus& world, std::size_t sender, std::size_t reader) {
  std::vector<clock::StampSample> samples;
  for (int i = 0; i < 128; ++i) {
    const double sent_ns = world.now_ns;
    world.now_ns += world.crossing();
    samples.push_back({world.at(sender, sent_ns), world.at(reader, world.now_ns)});
    world.now_ns += world.uniform(60, 160);
  }
  return clock::fold(samples, true, world.bits);
}

/// Method oneway: each pair in both directions, until its bounds stop getting narrower or 20 turns
/// are over. `overlap` false: no burst was ever good.
inline clock::ProbeRecord probe_oneway(FakeCpus& world, bool overlap = true) {
  clock::ProbeRecord record = empty_record(world, 2);
  for (std::size_t first = 0; first < world.faults.size(); ++first)
    for (std::size_t second = first + 1; second < world.faults.size(); ++second) {
      clock::PairAnalysis analysis(granule_ticks(world));
      for (int turn = 0; turn < 20 && !analysis.plateau(); ++turn) {
        clock::Burst second_reads = burst(world, first, second);
        clock::Burst first_reads = burst(world, second, first);
        second_reads.good = first_reads.good = overlap;
        analysis.add(second_reads, first_reads);
      }
      clock::PairResult pair = {.first = first, .second = second};
      pair.bounds = analysis.bounds();
      pair.interleavings = analysis.good();
      record.pairs.push_back(pair);
      record.order.inversions += analysis.inversions();
      if (analysis.first_unsteady()) record.unsteady.push_back(static_cast<int>(first));
      if (analysis.second_unsteady()) record.unsteady.push_back(static_cast<int>(second));
    }
  return record;
}

/// Method hop: one thread that needs `move_ns` from one CPU to the next, and by chance some more, a
/// tenth of it on average. `rounds` with each CPU, then as many through all of them.
inline clock::ProbeRecord probe_hop(FakeCpus& world, double move_ns, std::uint32_t rounds = 50) {
  std::vector<clock::OrderedReading> readings;
  const auto read_on = [&](std::size_t seat) {
    world.now_ns += move_ns + world.exponential(move_ns / 10);
    readings.push_back({static_cast<std::uint32_t>(seat), world.read(seat)});
  };
  for (std::size_t other = 1; other < world.faults.size(); ++other)
    for (std::uint32_t round = 0; round < rounds; ++round) {
      read_on(0);
      read_on(other);
    }
  for (std::uint32_t round = 0; round < rounds; ++round)
    for (std::size_t seat = 0; seat < world.faults.size(); ++seat) read_on(seat);
  read_on(0);
  clock::ProbeRecord record = empty_record(world, 10);
  clock::add_sequence(readings, granule_ticks(world), world.bits, clock::Wanted::pairs_with_first,
                      record);
  return record;
}

/// Method cas: whoever is next is a matter of chance, 60 ns and more after the last. `probes`
/// readings in all.
inline clock::ProbeRecord probe_cas(FakeCpus& world, std::size_t probes = 4000) {
  std::vector<clock::OrderedReading> readings;
  for (std::size_t i = 0; i < probes; ++i) {
    const auto seat = static_cast<std::uint32_t>(world.dice() % world.faults.size());
    world.now_ns += world.crossing();
    readings.push_back({seat, world.read(seat)});
  }
  clock::ProbeRecord record = empty_record(world, 10);
  clock::add_sequence(readings, granule_ticks(world), world.bits, clock::Wanted::all_pairs, record);
  return record;
}

/// `count` readings in ticks on one CPU, spaced by 0 to 40 ns, so that they fall on all places of a
/// granule.
inline std::vector<std::uint64_t> take_series(FakeCpus& world, std::size_t cpu,
                                              std::size_t count = 2048) {
  std::vector<std::uint64_t> readings;
  for (std::size_t i = 0; i < count; ++i) {
    world.now_ns += world.uniform(0, 40);
    readings.push_back(world.read(cpu));
  }
  return readings;
}

/// A calibration cluster on CPU 0, 256 readings of a perfect clock between two of the counter.
inline clock::Cluster take_cluster(FakeCpus& world, clock::Origin origin) {
  std::vector<clock::Bracket> brackets(256);
  for (clock::Bracket& bracket : brackets) {
    bracket.before = world.read(0);
    world.now_ns += 25 + world.uniform(0, 3);
    bracket.raw_ns = static_cast<std::uint64_t>(world.now_ns);
    bracket.after = world.read(0);
    world.now_ns += world.uniform(0, 12);
  }
  return clock::average(brackets, origin, granule_ticks(world), world.bits);
}

}  // namespace chronio::test

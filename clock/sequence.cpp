// sequence.cpp: bounds from changes between CPUs, order from neighbours, loops through all CPUs.
#include "clock/sequence.hpp"

#include "clock/ticks.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace chronio::clock {
namespace {

/// So many readings take microseconds, in which every usable counter advances.
constexpr std::uint32_t kSurelyAdvances = 64;

/// What changes from one CPU to another showed.
struct Changes {
  std::uint32_t count = 0;
  std::int64_t least = Bounds{}.most;  ///< ticks: later reading minus earlier one
};

class Walk {
 public:
  Walk(std::size_t cpus, unsigned bits) : cpus_(cpus), bits_(bits), changes_(cpus * cpus) {}

  void take(std::span<const OrderedReading> readings, ProbeRecord& record) {
    for (std::size_t i = 1; i < readings.size(); ++i) {
      const OrderedReading& from = readings[i - 1];
      const OrderedReading& to = readings[i];
      const std::int64_t step = ticks_between(from.ticks, to.ticks, bits_);
      // Whichever CPUs the two are of: later is later.
      if (step < 0) count_inversion(step, record.order);
      if (from.seat == to.seat) continue;
      Changes& changes = changes_[from.seat * cpus_ + to.seat];
      ++changes.count;
      changes.least = std::min(changes.least, step);
    }
  }

  /// Both directions of a pair, as bounds of its offset.
  void report(std::int64_t granule, Wanted wanted, ProbeRecord& record) const {
    for (std::size_t first = 0; first < cpus_; ++first)
      for (std::size_t second = first + 1; second < cpus_; ++second) {
        const Changes& onward = changes_[first * cpus_ + second];
        const Changes& back = changes_[second * cpus_ + first];
        const bool is_wanted = wanted == Wanted::all_pairs || first == 0;
        PairResult pair = {.first = first, .second = second};
        if (onward.count != 0) pair.bounds.most = onward.least + granule;
        if (back.count != 0) pair.bounds.least = -back.least - granule;
        // Changes in one direction bound the offset from one side alone.
        pair.interleavings = std::min(onward.count, back.count);
        // Nor is that a lack, where the pair was not wanted: rounds pass it one way only.
        if (pair.interleavings != 0 || is_wanted) record.pairs.push_back(pair);
      }
  }

 private:
  static void count_inversion(std::int64_t step, Order& order) {
    ++order.inversions;
    order.largest_ticks = std::max(order.largest_ticks, -step);
  }

  std::size_t cpus_;
  unsigned bits_;
  std::vector<Changes> changes_;  ///< [from * cpus_ + to]
};

/// How often the readings went through all CPUs and came back to the one where they began; a
/// reading belongs to one loop only, but for the one that ends a loop and begins the next.
std::uint64_t full_loops(std::span<const OrderedReading> readings, std::size_t cpus) {
  if (readings.empty() || cpus < 2) return 0;
  std::uint64_t loops = 0;
  const std::uint32_t home = readings.front().seat;
  // By number, so that nothing has to be cleared between two loops.
  std::vector<std::uint64_t> visited(cpus, 0);  // number of the loop, from 1
  std::size_t missing = cpus - 1;
  for (const OrderedReading& reading : readings) {
    if (reading.seat == home) {
      // Back too early: the loop goes on, and CPUs visited so far still count for it.
      if (missing != 0) continue;
      ++loops;
      missing = cpus - 1;
    } else if (visited[reading.seat] != loops + 1) {
      visited[reading.seat] = loops + 1;
      --missing;
    }
  }
  return loops;
}

/// CPUs whose own readings went backwards, or never moved. An inversion between two CPUs does not
/// tell whose fault it is; one on a single CPU does.
void add_unsteady(std::span<const OrderedReading> readings, unsigned bits, ProbeRecord& record) {
  struct Own {
    std::optional<std::uint64_t> last;
    std::uint32_t count = 0;
    bool advanced = false, decreased = false;
  };
  std::vector<Own> own(record.cpus.size());
  for (const OrderedReading& reading : readings) {
    Own& cpu = own[reading.seat];
    const std::int64_t step = cpu.last ? ticks_between(*cpu.last, reading.ticks, bits) : 0;
    cpu.advanced = cpu.advanced || step > 0;
    cpu.decreased = cpu.decreased || step < 0;
    cpu.last = reading.ticks;
    ++cpu.count;
  }
  for (std::size_t seat = 0; seat < own.size(); ++seat)
    if (own[seat].decreased || (own[seat].count >= kSurelyAdvances && !own[seat].advanced))
      record.unsteady.push_back(record.cpus[seat]);
}

}  // namespace

void add_sequence(std::span<const OrderedReading> readings, double granule_ticks, unsigned bits,
                  Wanted wanted, ProbeRecord& record) {
  Walk walk(record.cpus.size(), bits);
  walk.take(readings, record);
  walk.report(static_cast<std::int64_t>(std::ceil(std::max(granule_ticks, 1.0))), wanted, record);
  record.order.loops += full_loops(readings, record.cpus.size());
  add_unsteady(readings, bits, record);
}

}  // namespace chronio::clock

// sequence.hpp: what readings of several CPUs prove when their order in time is certain. Pure
// judgement, shared by the methods `hop` and `cas`.
#pragma once

#include "clock/offsets.hpp"

#include <cstdint>
#include <span>

namespace chronio::clock {

/// A reading that was taken after the one before it in the sequence had ended.
struct OrderedReading {
  std::uint32_t seat = 0;  ///< position in ProbeRecord::cpus
  std::uint64_t ticks = 0;
};

/// Pairs that a record should have even if nothing was seen of them. They are told as pairs without
/// interleavings, which makes the verdict `insufficient`. Others are told where both directions
/// were seen.
enum class Wanted : std::uint8_t { all_pairs, pairs_with_first };

/// Adds to `record` what `readings` prove. A reading of one CPU that follows one of another is an
/// upper bound of the offset between the two; a change back gives the lower one. Both are widened
/// by `granule_ticks`, since two counters' steps need not coincide. `bits`: width of the counter.
/// Each reading on the same CPU also shows whether that counter rises. Interleavings of a pair are
/// the fewer of its changes in either direction.
/// REQUIRES: every seat is below record.cpus.size().
void add_sequence(std::span<const OrderedReading> readings, double granule_ticks, unsigned bits,
                  Wanted wanted, ProbeRecord& record);

}  // namespace chronio::clock

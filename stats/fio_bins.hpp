// fio_bins.hpp: fio's latency bins (the `bins` of its json+) from and to bucket counts.
#pragma once

#include "stats/counts.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace chronio::stats {

/// Samples in one of fio's bins: 0 to 127 ns exact, then 64 bins per power of two; the last one
/// begins at 17,045,651,456 ns and holds everything above as well. Source: fio stat.c,
/// plat_val_to_idx and plat_idx_to_val.
struct FioBin {
  std::uint64_t midpoint_ns = 0;  ///< as fio reports it: truncated to an integer
  std::uint64_t count = 0;
  bool operator==(const FioBin&) const = default;
};

/// Exactly the bins, ascending and without empty ones, that fio would have counted these samples
/// in.
[[nodiscard]] std::vector<FioBin> to_fio_bins(const Counts& counts);

/// Bucket counts that to_fio_bins() turns back into `bins`, as long as these are fio's own. A bin
/// covers two buckets, each gets half of it. Any order, and keys may repeat; a key that is no
/// midpoint of fio's counts for the bin that it lies in, also above fio's last bin, as patched fio
/// writes.
[[nodiscard]] Counts from_fio_bins(std::span<const FioBin> bins);

}  // namespace chronio::stats

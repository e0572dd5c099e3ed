// fio_bins.cpp: fio's binning rule on top of bucket counts.
#include "stats/fio_bins.hpp"

#include <algorithm>
#include <bit>
#include <map>

namespace chronio::stats {
namespace {

constexpr std::uint32_t kFioBits = 6;               // 64 bins per power of two
constexpr std::uint64_t kFioLast = 17'045'651'456;  // ns, where fio's last bin begins

struct Bin {
  std::uint64_t low;
  std::uint64_t width;
};

/// The bin that `ns` lies in, without fio's limit at the top. Below 2^7 ns a bin is 1 ns wide.
Bin bin_of(std::uint64_t ns) noexcept {
  const auto top_bit = static_cast<int>(std::bit_width(ns | 1)) - 1;
  const int shift = std::max(top_bit - static_cast<int>(kFioBits), 0);
  return {ns >> shift << shift, std::uint64_t{1} << shift};
}

}  // namespace

std::vector<FioBin> to_fio_bins(const Counts& counts) {
  std::vector<FioBin> bins;
  const auto add = [&bins](std::uint64_t ns, std::uint64_t count) {
    // fio clamps: its last bin holds all that is longer.
    const Bin bin = bin_of(std::min(ns, kFioLast));
    const std::uint64_t midpoint = bin.low + bin.width / 2;
    // Buckets ascend, so two that share a bin of fio's follow each other.
    if (bins.empty() || bins.back().midpoint_ns != midpoint) bins.push_back({midpoint, 0});
    bins.back().count += count;
  };
  for (const auto& [index, count] : counts.buckets) add(bucket_low(index), count);
  if (counts.overflow != 0) add(kLimit, counts.overflow);
  return bins;
}

Counts from_fio_bins(std::span<const FioBin> bins) {
  // Sorted as it grows: the keys of a JSON object come in any order.
  std::map<std::uint32_t, std::uint64_t> buckets;
  Counts counts;
  for (const FioBin& fio_bin : bins) {
    // fio itself has no such bins; patched ones do.
    if (fio_bin.midpoint_ns >= kLimit) {
      counts.overflow += fio_bin.count;
      continue;
    }
    const Bin bin = bin_of(fio_bin.midpoint_ns);
    // An odd one goes to the upper half, where the bin's key lies.
    const std::uint64_t lower_half = bin.width > 1 ? fio_bin.count / 2 : 0;
    buckets[bucket_of(bin.low)] += lower_half;
    buckets[bucket_of(bin.low + bin.width / 2)] += fio_bin.count - lower_half;
  }
  for (const auto& bucket : buckets)
    if (bucket.second != 0) counts.buckets.push_back(bucket);
  return counts;
}

}  // namespace chronio::stats

// histogram.cpp: storage and readers of the latency histogram.
#include "stats/histogram.hpp"

#include <cassert>
#include <new>
#include <sys/mman.h>

namespace chronio::stats {
namespace {

constexpr std::size_t kBytes = kAllCells * sizeof(std::uint64_t);

/// The kernel gives a page when one of its cells is first written: of 58 KiB a job's latencies
/// touch a few, on the node of the thread that records.
std::uint64_t* map_zero_pages() {
  void* pages = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::uint64_t*>(pages);
}

}  // namespace

Histogram::Histogram() : cells_(map_zero_pages()) {}

void Histogram::Unmap::operator()(std::uint64_t* cells) const noexcept { ::munmap(cells, kBytes); }

std::uint64_t Histogram::overflow() const noexcept {
  std::uint64_t sum = 0;
  // Cells above the last bucket, so that record() needs no look at the size.
  for (std::uint32_t cell = kBuckets; cell < kAllCells; ++cell) sum += load(cell);
  return sum;
}

Counts Histogram::counts() const {
  Counts result;
  for (std::uint32_t i = 0; i < kBuckets; ++i)
    if (const std::uint64_t n = count(i); n != 0) result.buckets.emplace_back(i, n);
  result.overflow = overflow();
  return result;
}

void Histogram::take_new(std::span<std::uint64_t> seen, Counts& counts) const {
  assert(seen.size() == kBuckets + 1);
  Counts fresh;
  for (std::uint32_t i = 0; i < kBuckets; ++i) {
    // Read once: the writer may add to it before it is stored in `seen`.
    const std::uint64_t now = count(i);
    if (now != seen[i]) fresh.buckets.emplace_back(i, now - seen[i]);
    seen[i] = now;
  }
  const std::uint64_t now = overflow();
  fresh.overflow = now - seen[kBuckets];
  seen[kBuckets] = now;
  merge(counts, fresh);
}

}  // namespace chronio::stats

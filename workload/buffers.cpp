// buffers.cpp: maps the region, and fills it with data that no device can shrink.
#include "workload/buffers.hpp"

#include "workload/random.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace chronio::workload {
namespace {

constexpr std::size_t kSector = 512;

/// Fresh pages of the kernel's, not of the heap: zero, untouched, and given back whole. Not
/// reserved: else the kernel refuses a region larger than its memory at once, though most of it is
/// never touched.
std::byte* map(std::size_t bytes) {
  void* base = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::byte*>(base);
}

/// mmap aligns to a page only: maps more, and gives back what lies before and behind.
std::byte* map_aligned(std::size_t bytes, std::size_t alignment) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  if (alignment <= page) return map(bytes);
  // munmap(2) works on whole pages, so what is given back must end on one.
  const std::size_t whole_pages = (bytes + page - 1) / page * page;
  const std::size_t room = whole_pages + alignment - page;
  std::byte* const start = map(room);
  void* aligned = start;
  std::size_t left = room;
  std::align(alignment, whole_pages, aligned, left);
  auto* const base = static_cast<std::byte*>(aligned);
  const auto before = static_cast<std::size_t>(base - start);
  if (before > 0) ::munmap(start, before);
  if (left > whole_pages) ::munmap(base + whole_pages, left - whole_pages);
  return base;
}

}  // namespace

Buffers::Buffers(std::uint32_t count, std::uint32_t stride, std::uint32_t alignment)
    : base_(map_aligned(std::size_t{count} * stride, alignment),
            Unmap{std::size_t{count} * stride}),
      bytes_(std::size_t{count} * stride) {}

void Buffers::abandon() noexcept {
  static_cast<void>(base_.release());
  bytes_ = 0;
}

void Buffers::Unmap::operator()(std::byte* base) const noexcept { ::munmap(base, bytes); }

void fill_random(std::span<std::byte> bytes, std::uint64_t seed) noexcept {
  // splitmix64 passes for random to any compressor, and is fast enough for gigabytes of buffers.
  Random random(seed);
  while (!bytes.empty()) {
    const std::uint64_t word = random.next();
    const std::size_t n = std::min(sizeof word, bytes.size());
    std::memcpy(bytes.data(), &word, n);
    bytes = bytes.subspan(n);
  }
}

void scramble(std::span<std::byte> data, std::uint64_t offset, std::uint64_t sequence) noexcept {
  for (std::size_t at = 0; at < data.size(); at += kSector) {
    // The offset tells sectors of one write apart, the sequence two writes to one place.
    const std::array<std::uint64_t, 2> mark = {offset + at, sequence};
    std::memcpy(data.data() + at, mark.data(), std::min(sizeof mark, data.size() - at));
  }
}

}  // namespace chronio::workload

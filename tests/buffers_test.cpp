// buffers_test.cpp: the region is aligned and zero, and write data is like no other.
#include "workload/buffers.hpp"

#include "tests/catch.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <sys/mman.h>
#include <utility>
#include <vector>

using namespace chronio::workload;

namespace {

std::uintptr_t address(const std::byte* pointer) {
  std::uintptr_t value = 0;
  std::memcpy(&value, &pointer, sizeof value);
  return value;
}

std::set<std::string> sectors(std::span<const std::byte> data) {
  std::set<std::string> found;
  for (std::size_t at = 0; at < data.size(); at += 512) {
    std::string sector(std::min<std::size_t>(512, data.size() - at), '\0');
    std::memcpy(sector.data(), data.data() + at, sector.size());
    found.insert(sector);
  }
  return found;
}

std::uint64_t word_at(std::span<const std::byte> data, std::size_t at) {
  std::uint64_t word = 0;
  std::memcpy(&word, data.data() + at, sizeof word);
  return word;
}

}  // namespace

TEST_CASE("buffers: the region has its size and alignment, and is zero", "[workload]") {
  for (const std::uint32_t alignment : {512U, 4096U, 65536U, 2U << 20}) {
    const Buffers buffers(4, std::max(alignment, 8192U), alignment);
    REQUIRE(buffers.all().size() == 4U * std::max(alignment, 8192U));
    CHECK(address(buffers.all().data()) % std::max(alignment, 4096U) == 0);
    CHECK(std::all_of(buffers.all().begin(), buffers.all().end(),
                      [](std::byte b) { return b == std::byte{0}; }));
  }
}

TEST_CASE("buffers: a region over 4 GiB takes no memory until touched", "[workload]") {
  const Buffers buffers(5, 1U << 30, 4096);
  CHECK(buffers.all().size() == 5ULL << 30);
  buffers.all().back() = std::byte{1};
}

TEST_CASE("buffers: a region that no address space holds is refused", "[workload]") {
  CHECK_THROWS_AS(Buffers(~0U, 1U << 31, 4096), std::bad_alloc);
}

TEST_CASE("buffers: what is abandoned stays mapped and is no longer ours", "[workload]") {
  Buffers buffers(1, 4096, 4096);
  const std::span<std::byte> region = buffers.all();
  buffers.abandon();
  CHECK(buffers.all().empty());
  region.front() = std::byte{7};  // would be a fault if it were gone
  CHECK(region.front() == std::byte{7});
  CHECK(::munmap(region.data(), region.size()) == 0);
}

TEST_CASE("buffers: a freed region is unmapped", "[workload]") {
  void* page = nullptr;
  { page = Buffers(1, 4096, 4096).all().data(); }
  unsigned char resident = 0;
  CHECK(::mincore(page, 4096, &resident) == -1);
}

TEST_CASE("buffers: random fill takes any length and leaves the rest alone", "[workload]") {
  for (const std::size_t length : {0U, 1U, 7U, 8U, 9U, 4099U}) {
    std::vector<std::byte> data(length + 8, std::byte{0xEE});
    fill_random(std::span(data).first(length), 1);
    CHECK(
        std::all_of(data.end() - 8, data.end(), [](std::byte b) { return b == std::byte{0xEE}; }));
  }
}

TEST_CASE("buffers: random fill repeats with its seed and differs with another", "[workload]") {
  std::vector<std::byte> a(1U << 16), b(1U << 16), c(1U << 16);
  fill_random(a, 1);
  fill_random(b, 1);
  fill_random(c, 2);
  CHECK(a == b);
  CHECK(a != c);
  CHECK(sectors(a).size() == a.size() / 512);
  std::vector<int> counts(256);
  for (const std::byte byte : a) ++counts[static_cast<std::size_t>(byte)];
  // Each of 256 values is due 256 times; six standard deviations (16) make a false alarm 1 in 2
  // million.
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  CHECK(*least > 256 - 96);
  CHECK(*most < 256 + 96);
}

TEST_CASE("buffers: scrambling marks each sector with offset and sequence", "[workload]") {
  std::vector<std::byte> data(4096);
  scramble(data, 8192, 77);
  for (std::size_t at = 0; at < data.size(); at += 512) {
    CHECK(word_at(data, at) == 8192 + at);
    CHECK(word_at(data, at + 8) == 77);
    CHECK(word_at(data, at + 16) == 0);
  }
  CHECK(sectors(data).size() == 8);
}

TEST_CASE("buffers: the same block written again, or elsewhere, is other data", "[workload]") {
  std::vector<std::byte> first(4096), again(4096), elsewhere(4096);
  scramble(first, 0, 1);
  scramble(again, 0, 2);
  scramble(elsewhere, 4096, 1);
  std::set<std::string> all = sectors(first);
  all.merge(sectors(again));
  all.merge(sectors(elsewhere));
  CHECK(all.size() == 24);
}

TEST_CASE("buffers: scrambling stays inside odd lengths", "[workload]") {
  for (const std::size_t length : {0U, 5U, 16U, 513U, 520U, 1000U}) {
    std::vector<std::byte> data(length + 16, std::byte{0xEE});
    scramble(std::span(data).first(length), 0, 1);
    CHECK(
        std::all_of(data.end() - 16, data.end(), [](std::byte b) { return b == std::byte{0xEE}; }));
  }
}

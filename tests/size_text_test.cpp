// size_text_test.cpp: sizes that fio's results hold as text.
#include "results/size_text.hpp"

#include "tests/catch.hpp"

using namespace chronio::results;

TEST_CASE("size text: suffixes are powers of 1024 in any spelling", "[size_text]") {
  for (const char* text : {"4096", "4k", "4K", "4kb", "4KiB", "4ki", "4096b"}) {
    INFO(text);
    CHECK(size_of(text) == 4096);
  }
  CHECK(size_of("1m") == 1U << 20);
  CHECK(size_of("2g") == std::uint64_t{2} << 30);
  CHECK(size_of("16383p") == std::uint64_t{16383} << 50);
  CHECK(size_of("0") == 0);
}

TEST_CASE("size text: anything else is no size", "[size_text]") {
  for (const char* text : {"", "k", "4x", "4kx", "4kbb", "-4", "4 k", "50%", "0x10", "4.5k",
                           "16384p", "99999999999999999999", "4k-8k"}) {
    INFO(text);
    CHECK_FALSE(size_of(text).has_value());
  }
}

TEST_CASE("size text: block sizes go by direction as fio spreads them", "[size_text]") {
  using Sizes = std::array<std::uint64_t, kDirections>;
  CHECK(block_sizes_of("4k") == Sizes{4096, 4096, 4096});
  CHECK(block_sizes_of("4k,8k") == Sizes{4096, 8192, 8192});
  CHECK(block_sizes_of("4k,8k,16k") == Sizes{4096, 8192, 16384});
  CHECK(block_sizes_of(",8k") == Sizes{4096, 8192, 8192});
  CHECK(block_sizes_of("4k-8k") == Sizes{0, 0, 0});
  CHECK(block_sizes_of("4k,x") == Sizes{0, 0, 0});
}

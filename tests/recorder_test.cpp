// recorder_test.cpp: the classes of depths and batches, against fio's.
#include "runner/recorder.hpp"

#include "tests/catch.hpp"

#include <array>

using chronio::results::Depths;
using chronio::runner::DepthCounts;

namespace {

/// Class of a batch by fio's table: 0, up to 4, 8, 16, 32, 64, more.
std::size_t batch_class(std::uint32_t n) {
  if (n == 0) return 0;
  std::size_t index = 1;
  for (std::uint32_t most = 4; index < 6 && n > most; most *= 2) ++index;
  return index;
}

}  // namespace

TEST_CASE("recorder: a depth falls into the class of its power of two, from 64 on into the last",
          "[runner]") {
  for (std::uint32_t depth = 1; depth <= 1000; ++depth) {
    DepthCounts exact;
    exact.make(1000);
    exact.issued(1, depth);
    const Depths counts = exact.summary();
    std::size_t expected = 0;
    while (expected < 6 && (2U << expected) <= depth) ++expected;
    CAPTURE(depth);
    REQUIRE(counts.level[expected] == 1);
    REQUIRE(counts.depth_sum == depth);
  }
}

TEST_CASE("recorder: every I/O of a batch counts for the depth, the batch once for its size",
          "[runner]") {
  for (std::uint32_t n = 1; n <= 200; ++n) {
    DepthCounts exact;
    exact.make(200);
    exact.issued(n, n);
    exact.reaped(n);
    const Depths counts = exact.summary();
    CAPTURE(n);
    REQUIRE(counts.submit[batch_class(n)] == 1);
    REQUIRE(counts.complete[batch_class(n)] == 1);
    REQUIRE(counts.depth_sum == std::uint64_t{n} * n);
  }
}

TEST_CASE("recorder: a reap that brought nothing is in class 0", "[runner]") {
  DepthCounts counts;
  counts.make(1);
  counts.reaped(0);
  CHECK(counts.summary().complete[0] == 1);
}

TEST_CASE("recorder: batches that went out and batches that came back are counted apart",
          "[runner]") {
  DepthCounts counts;
  counts.make(64);
  counts.issued(64, 64);
  for (int i = 0; i < 16; ++i) counts.reaped(4);
  CHECK(counts.summary().submit == std::array<std::uint64_t, 7>{0, 0, 0, 0, 0, 1, 0});
  CHECK(counts.summary().complete == std::array<std::uint64_t, 7>{0, 16, 0, 0, 0, 0, 0});
  CHECK(counts.summary().level == std::array<std::uint64_t, 7>{0, 0, 0, 0, 0, 0, 64});
}

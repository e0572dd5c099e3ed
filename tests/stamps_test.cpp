// stamps_test.cpp: which readings a job takes that does not measure every latency.
#include "runner/stamps.hpp"

#include "tests/catch.hpp"

#include <cstdint>

using chronio::clock::Stamp;
using chronio::runner::EveryStamp;
using chronio::runner::Latencies;
using chronio::runner::latencies_of;
using chronio::runner::NeededStamps;

namespace {

constexpr std::uint64_t kMostApart = 1'000;  // ticks

/// What FakeClock copies share.
struct Readings {
  std::uint64_t now = 5'000;  ///< ticks
  std::uint64_t taken = 0;
};

struct FakeClock {
  [[maybe_unused]] static constexpr bool kTellsCpu = false;
  Readings* readings;
  [[nodiscard]] Stamp stamp() const noexcept {
    ++readings->taken;
    return {readings->now, 0};
  }
  [[nodiscard]] std::uint64_t now() const noexcept { return stamp().ticks; }
};

/// Readings that `ios` I/Os take, each of them `apart` ticks after the one before.
std::uint64_t readings_of(const Latencies& measured, std::uint64_t ios, std::uint64_t apart) {
  Readings readings;
  NeededStamps<FakeClock> stamps({&readings}, measured, kMostApart);
  readings.taken = 0;
  for (std::uint64_t i = 0; i < ios; ++i) {
    readings.now += apart;
    static_cast<void>(stamps.start());
    static_cast<void>(stamps.issue());
    static_cast<void>(stamps.done());
  }
  return readings.taken;
}

}  // namespace

TEST_CASE("stamps: an everyday job reads the clock three times an I/O", "[runner]") {
  Readings readings;
  EveryStamp<FakeClock> stamps({&readings});
  static_cast<void>(stamps.start());
  static_cast<void>(stamps.issue());
  static_cast<void>(stamps.done());
  CHECK(readings.taken == 3);
}

TEST_CASE("stamps: each latency reads what it lies between", "[runner]") {
  constexpr std::uint64_t kIos = 1'000;
  constexpr std::uint64_t kSlow = 2 * kMostApart;  // so that every stamp of a start is a reading
  constexpr std::uint64_t kFast = 1;
  CHECK(readings_of({.slat = true, .clat = false, .lat = false}, kIos, kFast) == 2 * kIos);
  CHECK(readings_of({.slat = false, .clat = false, .lat = true}, kIos, kFast) == 2 * kIos);
  CHECK(readings_of({.slat = false, .clat = false, .lat = false}, kIos, kSlow) == kIos);
  // What completes inside the queue call has no issue stamp: its clat begins with the start.
  CHECK(readings_of({.slat = false, .clat = true, .lat = false}, kIos, kFast) == 3 * kIos);
}

TEST_CASE("stamps: nothing is measured only where no latency is, whichever it is", "[runner]") {
  Readings readings;
  for (int which = 0; which < 8; ++which) {
    const Latencies measured = {
        .slat = (which & 1) != 0, .clat = (which & 2) != 0, .lat = (which & 4) != 0};
    CHECK(NeededStamps<FakeClock>({&readings}, measured, kMostApart).none() == (which == 0));
  }
}

TEST_CASE("stamps: a job that measures nothing reads once in 64 I/Os while they are fast",
          "[runner]") {
  constexpr std::uint64_t kIos = 64'000;
  const std::uint64_t taken =
      readings_of({.slat = false, .clat = false, .lat = false}, kIos, kMostApart / 100);
  CHECK(taken >= kIos / 64);
  CHECK(taken <= kIos / 64 + 8);  // the first few come one by one
}

TEST_CASE("stamps: a slow I/O after fast ones is seen within 64, each later one at once",
          "[runner]") {
  Readings readings;
  NeededStamps<FakeClock> stamps({&readings}, {.slat = false, .clat = false, .lat = false},
                                 kMostApart);
  for (int i = 0; i < 10'000; ++i) {
    ++readings.now;
    static_cast<void>(stamps.start());
  }
  int late = 0;
  for (readings.now += 10 * kMostApart; stamps.start().ticks != readings.now; ++late)
    REQUIRE(late < 64);
  for (int i = 0; i < 100; ++i) {
    readings.now += 10 * kMostApart;
    REQUIRE(stamps.start().ticks == readings.now);
  }
}

TEST_CASE("stamps: one that is not read is never later than the present, nor runs backwards",
          "[runner]") {
  Readings readings;
  NeededStamps<FakeClock> stamps({&readings}, {.slat = false, .clat = true, .lat = false},
                                 kMostApart);
  std::uint64_t last = 0;
  for (int i = 0; i < 1'000; ++i) {
    readings.now += 7;
    for (const std::uint64_t ticks : {stamps.start().ticks, stamps.issue(), stamps.done().ticks}) {
      REQUIRE(ticks <= readings.now);
      REQUIRE(ticks >= last);
      last = ticks;
    }
  }
}

TEST_CASE("stamps: gtod_reduce leaves no latency, the disable options one less each", "[runner]") {
  chronio::jobs::ReportOptions job;
  CHECK(latencies_of(job, false).all());
  job.disable_slat = true;
  CHECK_FALSE(latencies_of(job, false).slat);
  CHECK(latencies_of(job, true).all());  // a synchronous engine has none to leave out
  CHECK(latencies_of(job, false).clat);
  job.disable_clat = true;
  CHECK_FALSE(latencies_of(job, true).clat);
  CHECK(latencies_of(job, true).slat);  // its start is still needed: for lat
  CHECK(latencies_of(job, true).lat);
  job.disable_lat = true;
  CHECK(latencies_of(job, false).none());
  CHECK(latencies_of(job, true).none());
  job = {};
  job.gtod_reduce = true;
  CHECK(latencies_of(job, false).none());
  CHECK(latencies_of(job, true).none());
}

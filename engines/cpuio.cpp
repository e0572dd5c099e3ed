// cpuio.cpp: keeps a CPU busy instead of doing I/O: stretches of computing, and of sleeping when
// the load is below 100 percent, in slices: one request is a slice.
#include "engines/engine.hpp"
#include "engines/option_decls.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>

namespace {

using namespace chronio;

enum Option : std::uint32_t { cpuload, cpuchunks, cpumode };
enum Mode : std::uint8_t { noop, qsort };

constexpr const char* kModes[] = {"noop", "qsort", nullptr};

constexpr std::array kOptions{
    OptionDecl{"cpuload", OptionType::number, OptionUnit::percent, 1, 100, nullptr, "100",
               "share of its time that the CPU is busy, in percent"},
    number_option("cpuchunks", 1, 1'000'000'000, "50000",
                  "CPU time between two rests, in microseconds"),
    OptionDecl{"cpumode", OptionType::choice, OptionUnit::none, 0, 0, kModes, "noop",
               "what is computed: nothing, or numbers are sorted"},
};

/// Longest slice: a worker looks at the time and at signals between requests only, and time limits
/// are to be met within 20 ms.
constexpr std::int64_t kSliceNs = 10'000'000;

/// Goes round from computing to rest, by its own clocks and not by requests: a request ends after a
/// slice, and the next one goes on where it stopped. The runner's clock is no help here, for it
/// tells wall time, and the load of a CPU is its thread's CPU time.
class CpuIo final : public Engine {
 public:
  int open(const Setup& setup) noexcept override {
    busy_ns_ = setup.option(cpuchunks).number * 1000;
    load_ = setup.option(cpuload).number;
    mode_ = static_cast<Mode>(setup.option(cpumode).number);
    return 0;
  }

  Queued queue(Io& io) noexcept override {
    // No data moves: the length is counted as bytes because a worker takes 0 for an early end.
    io.result = io.ddir <= Ddir::sync_file_range ? std::int64_t{io.len} : -EOPNOTSUPP;
    if (io.ddir <= Ddir::trim) go_on();
    return Queued::completed;
  }

 private:
  static std::int64_t read_ns(clockid_t clock) noexcept {
    timespec now{};
    clock_gettime(clock, &now);
    return now.tv_sec * 1'000'000'000 + now.tv_nsec;
  }

  /// The next slice. A round lasts until what it computed is its share, counted from where the last
  /// one should have ended: what others take of the CPU, and late wakes, shorten rests.
  void go_on() noexcept {
    const std::int64_t now = read_ns(CLOCK_MONOTONIC);
    // Not in open(): the time until the gate opens is no rest.
    if (begin_ns_ == 0) begin_ns_ = now;
    if (used_ns_ >= busy_ns_) {
      // By what was really used, not by cpuchunks: a slice ends at its next look at the clock, and
      // what it took too much is rested for.
      const std::int64_t length = used_ns_ * 100 / load_;
      const std::int64_t end = begin_ns_ + length;
      if (now < end) return sleep_until(std::min(end, now + kSliceNs));
      begin_ns_ = std::max(end, now - length);  // a longer stop is not made up for
      used_ns_ = 0;
    }
    compute(now + kSliceNs);
  }

  /// Until the round's CPU time is used up, or `end_ns`. CPU time counts, not the time of day: what
  /// others take of the CPU is no load of this job.
  void compute(std::int64_t end_ns) noexcept {
    const std::int64_t before = read_ns(CLOCK_THREAD_CPUTIME_ID) - used_ns_;
    // At least once, so that a slice makes progress when `end_ns` has passed already.
    do {
      if (mode_ == qsort) {
        sort_numbers();
      } else {
        for (int i = 0; i < 30'000; ++i) asm volatile("");  // some 10 us: the clock's call is 0.3
      }
      used_ns_ = read_ns(CLOCK_THREAD_CPUTIME_ID) - before;
    } while (used_ns_ < busy_ns_ && read_ns(CLOCK_MONOTONIC) < end_ns);
  }

  void sort_numbers() noexcept {
    for (std::uint32_t& number : numbers_) {
      seed_ = seed_ * 6364136223846793005 + 1442695040888963407;  // Knuth's MMIX generator
      number = static_cast<std::uint32_t>(seed_ >> 32);
    }
    std::sort(numbers_.begin(), numbers_.end());
  }

  static void sleep_until(std::int64_t end_ns) noexcept {
    const timespec end{end_ns / 1'000'000'000, end_ns % 1'000'000'000};
    // An absolute end: a signal that interrupts the sleep does not lengthen it.
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, nullptr) == EINTR) continue;
  }

  std::int64_t busy_ns_ = 0;   // CPU time of a round
  std::int64_t load_ = 100;    // percent
  std::int64_t begin_ns_ = 0;  // of the round, CLOCK_MONOTONIC; 0: there was none yet
  std::int64_t used_ns_ = 0;   // CPU time, in this round
  Mode mode_ = noop;
  std::uint64_t seed_ = 1;
  std::array<std::uint32_t, 256> numbers_{};
};

}  // namespace

CHRONIO_ENGINE("cpuio", CpuIo, kSynchronous | kNoData | kDiskless | kWholeFiles,
               (std::span<const OptionDecl>{kOptions}), "computes instead of doing I/O");

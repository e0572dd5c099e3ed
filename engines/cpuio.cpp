// cpuio.cpp: keeps a CPU busy instead of doing I/O: one request is a stretch of computing, and of
// sleeping when the load is below 100 percent.
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
                  "CPU time that one request takes, in microseconds"),
    OptionDecl{"cpumode", OptionType::choice, OptionUnit::none, 0, 0, kModes, "noop",
               "what is computed: nothing, or numbers are sorted"},
};

class CpuIo final : public Engine {
 public:
  int open(const Setup& setup) noexcept override {
    busy_ns_ = setup.option(cpuchunks).number * 1000;
    const std::int64_t load = setup.option(cpuload).number;
    mode_ = static_cast<Mode>(setup.option(cpumode).number);
    idle_ns_ = busy_ns_ / load * (100 - load);
    return 0;
  }

  Queued queue(Io& io) noexcept override {
    io.result = io.ddir <= Ddir::sync_file_range ? std::int64_t{io.len} : -EOPNOTSUPP;
    if (io.ddir <= Ddir::trim) {
      compute();
      if (idle_ns_ > 0) rest();
    }
    return Queued::completed;
  }

 private:
  static std::int64_t read_ns(clockid_t clock) noexcept {
    timespec now{};
    clock_gettime(clock, &now);
    return now.tv_sec * 1'000'000'000 + now.tv_nsec;
  }

  /// CPU time counts, not the time of day: what others take of the CPU is no load of this job.
  void compute() noexcept {
    const std::int64_t end = read_ns(CLOCK_THREAD_CPUTIME_ID) + busy_ns_;
    do {
      if (mode_ == qsort) {
        sort_numbers();
      } else {
        for (int i = 0; i < 1000; ++i) asm volatile("");
      }
    } while (read_ns(CLOCK_THREAD_CPUTIME_ID) < end);
  }

  void sort_numbers() noexcept {
    for (std::uint32_t& number : numbers_) {
      seed_ = seed_ * 6364136223846793005 + 1442695040888963407;  // Knuth's MMIX generator
      number = static_cast<std::uint32_t>(seed_ >> 32);
    }
    std::sort(numbers_.begin(), numbers_.end());
  }

  void rest() const noexcept {
    const std::int64_t end_ns = read_ns(CLOCK_MONOTONIC) + idle_ns_;
    const timespec end{end_ns / 1'000'000'000, end_ns % 1'000'000'000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, nullptr) == EINTR) continue;
  }

  std::int64_t busy_ns_ = 0, idle_ns_ = 0;
  Mode mode_ = noop;
  std::uint64_t seed_ = 1;
  std::array<std::uint32_t, 256> numbers_{};
};

}  // namespace

CHRONIO_ENGINE("cpuio", CpuIo, kSynchronous | kNoData | kDiskless | kWholeFiles,
               (std::span<const OptionDecl>{kOptions}), "computes instead of doing I/O");

// cpuio.cpp: keeps a CPU busy instead of doing I/O: one request is a stretch of computing, and of
// sleeping when the load is below 100 percent.
#include "engines/engine.hpp"
#include "engines/option_decls.hpp"

#include <array>
#include <cerrno>
#include <ctime>

namespace {

using namespace chronio;

enum Option : std::uint32_t { cpuload, cpuchunks };

constexpr std::array kOptions{
    OptionDecl{"cpuload", OptionType::number, OptionUnit::percent, 1, 100, nullptr, "100",
               "share of its time that the CPU is busy, in percent"},
    number_option("cpuchunks", 1, 1'000'000'000, "50000",
                  "CPU time that one request takes, in microseconds"),
};

class CpuIo final : public Engine {
 public:
  int open(const Setup& setup) noexcept override {
    busy_ns_ = setup.option(cpuchunks).number * 1000;
    const std::int64_t load = setup.option(cpuload).number;
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
  void compute() const noexcept {
    const std::int64_t end = read_ns(CLOCK_THREAD_CPUTIME_ID) + busy_ns_;
    do {
      for (int i = 0; i < 1000; ++i) asm volatile("");
    } while (read_ns(CLOCK_THREAD_CPUTIME_ID) < end);
  }

  void rest() const noexcept {
    const std::int64_t end_ns = read_ns(CLOCK_MONOTONIC) + idle_ns_;
    const timespec end{end_ns / 1'000'000'000, end_ns % 1'000'000'000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, nullptr) == EINTR) continue;
  }

  std::int64_t busy_ns_ = 0, idle_ns_ = 0;
};

}  // namespace

CHRONIO_ENGINE("cpuio", CpuIo, kSynchronous | kNoData | kDiskless | kWholeFiles,
               (std::span<const OptionDecl>{kOptions}), "computes instead of doing I/O");

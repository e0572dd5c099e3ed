// clock_study.cpp: what the real clock of this machine does over hundreds of starts: the rate's
// error, false accusations, starts that could be certified. Prints its figures.
// usage: clock_study rates|starts [COUNT]
#include "clock/machine.hpp"
#include "clock/timebase.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <thread>
#include <vector>

namespace {

using namespace chronio::clock;

constexpr int kSkip = 77;

bool uses_counter(const Certificate& certificate) {
  return certificate.source == Source::tsc || certificate.source == Source::arm_counter;
}

double share(std::vector<double> sorted, double part) {
  std::sort(sorted.begin(), sorted.end());
  return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
}

/// 99 % of calibrations of 100 ms are within 20 ppb of the rate of all the time that they took
/// together.
int study_rates(int count) {
  Timebase whole = Timebase::init({});
  std::vector<double> rates;
  for (int i = 0; i < count; ++i) {
    Timebase one = Timebase::init({.calibrate_ns = 100'000'000});
    one.calibrated();
    if (!uses_counter(one.certificate())) {
      fmt::print("the counter of this machine is not used: {}\n",
                 one.certificate().findings.front().c_str());
      return kSkip;
    }
    rates.push_back(one.certificate().hz);
    whole.add_cluster();
  }
  whole.finish();
  const double truth = whole.certificate().hz;
  std::vector<double> errors;
  for (const double hz : rates) errors.push_back(std::abs(hz / truth - 1) * 1e9);
  const double p99 = share(errors, 0.99);
  fmt::print(
      "{} calibrations of 100 ms against {:.0f} s: error p50 {:.2f}, p99 {:.2f}, max {:.2f} ppb\n",
      count, whole.certificate().hz_baseline_s, share(errors, 0.5), p99, share(errors, 1));
  return p99 <= 20 ? 0 : 1;
}

/// As many busy threads as half the CPUs, so that probes meet load but still meet each other.
class Load {
 public:
  Load() {
    const unsigned threads = std::max(1U, std::thread::hardware_concurrency() / 2);
    for (unsigned i = 0; i < threads; ++i)
      threads_.emplace_back([this] {
        while (!over_.load(std::memory_order_relaxed)) {
        }
      });
  }
  ~Load() {
    over_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;
  Load(Load&&) = delete;
  Load& operator=(Load&&) = delete;

 private:
  std::atomic<bool> over_{false};
  std::vector<std::thread> threads_;
};

/// No start under load accuses a sound counter, and 95 % of them certify it.
int study_starts(int count) {
  const Load load;
  int ok = 0;
  int insufficient = 0;
  int accused = 0;
  std::vector<double> bounds;
  std::vector<double> walls_ms;
  for (int i = 0; i < count; ++i) {
    const std::uint64_t begin_ns = raw_ns();
    const Timebase one = Timebase::init({});
    walls_ms.push_back(static_cast<double>(raw_ns() - begin_ns) / 1e6);
    const Certificate& certificate = one.certificate();
    if (certificate.verdict == Verdict::ok) ++ok;
    if (certificate.verdict == Verdict::insufficient) ++insufficient;
    if (certificate.verdict == Verdict::fallback || certificate.skew_proven ||
        !certificate.monotone.value_or(true)) {
      ++accused;
      for (const std::string& finding : certificate.findings) fmt::print("{}\n", finding);
    }
    if (certificate.offset_bound_ns.start) bounds.push_back(*certificate.offset_bound_ns.start);
  }
  if (bounds.empty()) bounds.push_back(0);
  fmt::print(
      "{} starts under load: {} ok, {} insufficient, {} accused; bound p50 {:.0f}, p99 {:.0f}, "
      "max {:.0f} ns; wall p50 {:.1f}, p99 {:.1f}, max {:.1f} ms\n",
      count, ok, insufficient, accused, share(bounds, 0.5), share(bounds, 0.99), share(bounds, 1),
      share(walls_ms, 0.5), share(walls_ms, 0.99), share(walls_ms, 1));
  if (accused == count) return kSkip;  // a machine without a usable counter
  return accused == 0 && ok >= count * 95 / 100 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const int count = argc > 2 ? std::atoi(argv[2]) : 0;
  if (std::strcmp(argv[1], "rates") == 0) return study_rates(count > 0 ? count : 200);
  if (std::strcmp(argv[1], "starts") == 0) return study_starts(count > 0 ? count : 1000);
  return 2;
}

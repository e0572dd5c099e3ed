// pmu_switch_bench.cpp: what a switch of groups costs the thread that is counted, by each way to be
// told of overflows. Every page fault is an overflow; the same fault without counting is what a
// switch is told from. Prints medians; recorded, not judged.
#include "pmu/session.hpp"
#include "tests/pmu_sources.hpp"

#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <vector>

namespace {

using namespace chronio::pmu;
using namespace chronio::tests;

constexpr std::size_t kFaults = 20'000;
constexpr int kRounds = 5;  // alternating, so that what slows the machine slows both

std::uint64_t now_ns() {
  timespec time = {};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

using Times = std::vector<std::uint64_t>;

/// ns of each first touch of a page.
void time_faults(Pages& pages, Times& times) {
  for (std::size_t i = 0; i < kFaults; ++i) {
    if (i % Pages::count() == 0) pages.forget();
    const std::uint64_t start = now_ns();
    pages.touch(i % Pages::count());
    times.push_back(now_ns() - start);
  }
}

std::uint64_t share(Times& times, double part) {
  const auto at =
      times.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(times.size() - 1));
  std::nth_element(times.begin(), at, times.end());
  return *at;
}

Request rotating(Notify notify) {
  Request request;
  request.need = Need::automatic;
  request.events.push_back(
      {.events = std::vector(4, named("minor-faults")), .braced = true, .trigger = {}});
  request.events.push_back(
      {.events = std::vector(4, named("major-faults")), .braced = true, .trigger = {}});
  request.trigger = named("page-faults");
  request.period = 1;
  request.budget = 1;
  request.notify = notify;
  return request;
}

void bench(Notify notify) {
  Pages pages;
  Times plain, counted, bodies;
  for (int round = 0; round < kRounds; ++round) {
    time_faults(pages, plain);
    Session session(rotating(notify));
    session.begin();
    time_faults(pages, counted);
    session.finish();
    const Counts counts = session.counts();
    if (counts.mode != Mode::overflow) {
      fmt::print("{:<8} not to be had: {}\n", name(notify), counts.reason);
      return;
    }
    bodies.push_back(counts.handler_p50_ns.value_or(0));
  }
  const std::uint64_t fault = share(plain, 0.5);
  fmt::print(
      "{:<8} whole switch p50 {:.1f} us, p99 {:.1f} us (a fault without it {:.1f} us); handler "
      "body p50 {:.1f} us\n",
      name(notify), static_cast<double>(share(counted, 0.5) - fault) * 1e-3,
      static_cast<double>(share(counted, 0.99) - fault) * 1e-3, static_cast<double>(fault) * 1e-3,
      static_cast<double>(share(bodies, 0.5)) * 1e-3);
}

}  // namespace

int main() {
  needs_perf();
  for (const Notify notify : {Notify::sigtrap, Notify::signal}) bench(notify);
  return 0;
}

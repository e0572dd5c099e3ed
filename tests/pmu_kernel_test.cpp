// pmu_kernel_test.cpp: rotation on the real kernel, window by window against the program's own
// counts. Hardware breakpoints and page faults stand in for hardware counters; skips (77) where
// perf events can't be opened.
#include "pmu/overflow_monitor.hpp"
#include "pmu/overflow_signal.hpp"
#include "pmu/perf_backend.hpp"
#include "pmu/rotator.hpp"
#include "pmu/trial.hpp"
#include "tests/catch.hpp"
#include "tests/pmu_sources.hpp"

#include <cerrno>
#include <sys/resource.h>

namespace {

using namespace chronio::pmu;
using namespace chronio::tests;

[[gnu::noinline]] void called_as_trigger() { asm volatile("nop" ::: "memory"); }
[[gnu::noinline]] void called_first() { asm volatile("nop; nop" ::: "memory"); }
[[gnu::noinline]] void called_second() { asm volatile("nop; nop; nop" ::: "memory"); }

/// Whether a breakpoint that has notified is stepped over on return; on arm64 it is met again, and
/// the next group counts it too.
#ifdef __x86_64__
constexpr bool kStepsOver = true;
#else
constexpr bool kStepsOver = false;
#endif

/// What the program itself has counted.
struct Truth {
  std::uint64_t trigger = 0;
  std::array<std::uint64_t, 2> member = {};  // of group 0 and of group 1
};

Truth truth;

/// Counts how many windows say what the program says.
class Checked {
 public:
  explicit Checked(PerfBackend& backend) : backend_(backend) {}

  void arm(std::size_t group, std::uint64_t period) noexcept {
    start_ = truth;
    backend_.arm(group, period);
  }
  Window harvest(std::size_t group) noexcept {
    const Window window = backend_.harvest(group);
    ++windows;
    exact_trigger += window.trigger == truth.trigger - start_.trigger ? 1U : 0U;
    exact_member += window.value[0] == truth.member[group] - start_.member[group] ? 1U : 0U;
    return window;
  }

  std::uint64_t windows = 0, exact_trigger = 0, exact_member = 0;

 private:
  PerfBackend& backend_;
  Truth start_;
};

template <class R>
class Sink final : public OverflowSink {
 public:
  explicit Sink(R& rotator) : rotator_(rotator) {}
  void on_overflow() noexcept override { rotator_.on_overflow(); }

 private:
  R& rotator_;
};

Rotation two_groups(std::uint64_t period) {
  Rotation rotation;
  rotation.members = {1, 1};
  rotation.periods = {period, period};
  rotation.seed = 11;
  return rotation;
}

/// Runs `work` under rotation with `notify`, and says whether every window was exact.
template <class Work>
void check_windows(PerfBackend& backend, std::uint64_t period, Work&& work) {
  Checked checked(backend);
  Rotator rotator(checked, two_groups(period));
  Sink sink(rotator);
  install_overflow_handlers();
  truth = {};
  set_overflow_sink(&sink);
  rotator.begin();
  work();
  rotator.finish();
  set_overflow_sink(nullptr);
  INFO("windows " << checked.windows << ", exact in the trigger " << checked.exact_trigger
                  << ", in the member " << checked.exact_member);
  CHECK(rotator.totals().windows >= truth.trigger / period);
  CHECK(checked.exact_trigger == checked.windows);
  CHECK(checked.exact_member == checked.windows);
  CHECK(rotator.totals().trigger == truth.trigger);  // nothing is lost between windows
  CHECK(rotator.totals().dropped == 0);
  CHECK(backend.errors() == 0);
  for (const std::size_t group : {0U, 1U}) {
    const Estimate estimate = rotator.estimate(group, 0);
    INFO("group " << group << ": " << estimate.total << " +- " << estimate.half95 << ", truth "
                  << truth.member[group]);
    CHECK(std::abs(estimate.total - static_cast<double>(truth.member[group])) <=
          2 * estimate.half95);  // 1 in 15,000 outside by chance; the seed is fixed
  }
}

void check_breakpoints(Notify notify) {
  if (!kStepsOver || !meets_breakpoints()) {
    WARN("hardware breakpoints can't be counted exactly here");
    return;
  }
  const Event trigger = breakpoint(called_as_trigger);
  const Event first = breakpoint(called_first);
  const Event second = breakpoint(called_second);
  PerfBackend backend(notify, overflow_signal());
  constexpr std::uint64_t kPeriod = 50;
  const int error = backend.add_group(trigger, {&first}, kPeriod);
  if (error != 0 || backend.add_group(trigger, {&second}, kPeriod) != 0) {
    WARN("hardware breakpoints can't be counted here: errno " << -error);
    return;
  }
  check_windows(backend, kPeriod, [] {
    Random random(7);
    for (int i = 0; i < 4000; ++i) {
      const std::uint64_t chance = random.below(4);
      if (chance == 0 || i / 997 % 2 == 1) {
        ++truth.member[0];
        called_first();
      }
      if (chance == 1) {
        ++truth.member[1];
        called_second();
      }
      ++truth.trigger;
      called_as_trigger();
    }
  });
}

void check_page_faults(Notify notify) {
  const Event trigger = named("page-faults");
  const Event minor = named("minor-faults");
  const Event again = named("page-faults");
  PerfBackend backend(notify, overflow_signal());
  constexpr std::uint64_t kPeriod = 100;
  REQUIRE(backend.add_group(trigger, {&minor}, kPeriod) == 0);
  REQUIRE(backend.add_group(trigger, {&again}, kPeriod) == 0);
  Pages pages;
  check_windows(backend, kPeriod, [&] {
    for (std::size_t page = 0; page < 10'000; ++page) {
      ++truth.trigger;
      ++truth.member[0];
      ++truth.member[1];
      pages.touch(page);
    }
  });
}

}  // namespace

TEST_CASE("kernel: every window of breakpoints equals the program's count, by both signals",
          "[pmu]") {
  needs_perf();
  for (const Notify notify : {Notify::sigtrap, Notify::signal}) {
    INFO(name(notify));
    check_breakpoints(notify);
  }
}

TEST_CASE("kernel: every window of page faults equals the program's count, by both signals",
          "[pmu]") {
  needs_perf();
  for (const Notify notify : {Notify::sigtrap, Notify::signal}) {
    INFO(name(notify));
    check_page_faults(notify);
  }
}

TEST_CASE("kernel: an overflow whose signal can't be queued comes as SIGIO, and counts", "[pmu]") {
  needs_perf();
  rlimit before = {};
  ::getrlimit(RLIMIT_SIGPENDING, &before);
  const rlimit none = {0, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_SIGPENDING, &none) == 0);
  check_page_faults(Notify::signal);
  ::setrlimit(RLIMIT_SIGPENDING, &before);
}

TEST_CASE("kernel: a monitor thread switches groups where signals can't be had", "[pmu]") {
  needs_perf();
  const Event trigger = named("page-faults");
  const Event minor = named("minor-faults");
  PerfBackend backend(Notify::poll, 0);
  REQUIRE(backend.add_group(trigger, {&minor}, 100) == 0);
  REQUIRE(backend.add_group(trigger, {&minor}, 100) == 0);
  Rotator rotator(backend, two_groups(100));
  Sink sink(rotator);
  OverflowMonitor monitor(sink);
  REQUIRE(monitor.start({backend.leader(0), backend.leader(1)}) == 0);
  {
    const std::lock_guard guard(monitor.lock());
    rotator.begin();
  }
  for (int round = 0; round < 1000; ++round) {  // until both groups had their turn
    Pages pages;
    for (std::size_t page = 0; page < 1000; ++page) pages.touch(page);
    const std::lock_guard guard(monitor.lock());
    if (rotator.totals().windows > 10) break;
  }
  const std::lock_guard guard(monitor.lock());
  rotator.finish();
  CHECK(rotator.totals().windows > 10);
  for (const std::size_t group : {0U, 1U}) {
    const Sums& sums = rotator.series(group, 0).sums();
    CHECK(sums.windows > 0);
    // Each fault is a minor one; another CPU may stop or start the group between the two counts.
    CHECK(
        static_cast<double>(sums.counted) ==
        Approx(static_cast<double>(sums.trigger)).margin(2.0 * static_cast<double>(sums.windows)));
  }
}

TEST_CASE("kernel: an overflow keeps errno", "[pmu]") {
  needs_perf();
  const Event trigger = named("page-faults");
  PerfBackend backend(Notify::signal, overflow_signal());
  REQUIRE(backend.add_group(trigger, {}, 1) == 0);
  struct Spoiler final : OverflowSink {
    PerfBackend& backend;
    int calls = 0;
    explicit Spoiler(PerfBackend& used) : backend(used) {}
    void on_overflow() noexcept override {
      static_cast<void>(backend.harvest(0));
      ++calls;
      errno = EILSEQ;
    }
  } spoiler(backend);
  install_overflow_handlers();
  Pages pages;
  set_overflow_sink(&spoiler);
  backend.arm(0, 1);
  errno = EDOM;
  pages.touch(1);
  const int kept = errno;
  set_overflow_sink(nullptr);
  CHECK(spoiler.calls > 0);
  CHECK(kept == EDOM);
}

TEST_CASE("kernel: the trial of a path ends, and finds one that works", "[pmu]") {
  needs_perf();
  const Trial trigger = default_trigger();
  REQUIRE(trigger.error == 0);
  int working = 0;
  for (const Notify notify : {Notify::sigtrap, Notify::signal, Notify::poll})
    working += try_notify(trigger.event, notify) == 0 ? 1 : 0;
  CHECK(working > 0);
  CHECK(try_notify(named("major-faults"), Notify::signal) == -ETIME);
}

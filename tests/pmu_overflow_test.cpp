// pmu_overflow_test.cpp: what very many overflows leave a thread with: nothing from the heap, no
// lock, its errno; and after the end of counting, no effect at all. Page faults stand in for
// hardware events, one window each. The hidden case, of a million, is one of suite slow.
#include "pmu/overflow_signal.hpp"
#include "pmu/session.hpp"
#include "tests/catch.hpp"
#include "tests/conformance/allocations.hpp"
#include "tests/pmu_sources.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <dlfcn.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace {

std::atomic<std::uint64_t> locks{0};

}  // namespace

// Stands before the C library's, for this program and the C++ library.
extern "C" [[gnu::visibility("default")]] int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  using Lock = int (*)(pthread_mutex_t*);
  static std::atomic<Lock> real{nullptr};
  if (real.load(std::memory_order_relaxed) == nullptr)
    real = reinterpret_cast<Lock>(::dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  locks.fetch_add(1, std::memory_order_relaxed);
  return real.load(std::memory_order_relaxed)(mutex);
}

namespace {

using namespace chronio::pmu;
using namespace chronio::tests;
using chronio::conformance::allocations;

constexpr std::size_t kSome = 20'000;
constexpr std::size_t kMillion = 1'000'000;
constexpr int kTrapPerf = 6;  // TRAP_PERF

Request rotating(Notify notify, std::uint64_t period) {
  Request request;
  request.need = Need::automatic;
  request.events = parse_events("{page-faults},{minor-faults},{major-faults}").groups;
  request.trigger = named("page-faults");
  request.period = period;
  request.budget = 1;  // or windows become longer
  request.notify = notify;
  request.log = true;  // more windows than it holds, too
  return request;
}

/// CPU time of this thread.
std::uint64_t cpu_ns() {
  timespec time = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

void fault(Pages& pages, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (i % Pages::count() == 0) pages.forget();
    pages.touch(i % Pages::count());
  }
}

/// What happened on the thread while it faulted `count` times.
struct Aftermath {
  std::uint64_t heap = 0, locks = 0;
  int error = 0;
};

Aftermath fault_and_look(Pages& pages, std::size_t count) {
  const std::uint64_t heap = allocations();
  const std::uint64_t locked = locks;
  errno = EDOM;
  fault(pages, count);
  const int error = errno;
  return {allocations() - heap, locks - locked, error};
}

/// As the kernel sends it: `code` is what tells a perf event's trap from a debugger's. 1: sent.
std::size_t send(int signal, int code) {
  siginfo_t info = {};
  info.si_signo = signal;
  info.si_code = code;
  return ::syscall(SYS_rt_tgsigqueueinfo, ::getpid(), ::gettid(), signal, &info) == 0 ? 1 : 0;
}

/// Overflows that come when counting has ended, of each kind that the kernel has.
void check_nothing_after_the_end(const Session& session, Pages& pages, std::size_t count) {
  install_overflow_handlers();  // where another thread was told, nobody did
  const Counts before = session.counts();
  fault(pages, 1000);
  const std::uint64_t heap = allocations();
  std::size_t sent = 0;
  errno = EDOM;
  for (std::size_t i = 0; i < count; ++i) {
    sent += send(overflow_signal(), POLL_IN);
    sent += send(SIGIO, POLL_IN);
    sent += send(SIGTRAP, kTrapPerf);
  }
  const int kept = errno;
  const std::uint64_t taken = allocations() - heap;
  CHECK(sent == 3 * count);
  CHECK(kept == EDOM);
  CHECK(taken == 0);
  CHECK(session.counts() == before);
}

void check_storm(Notify notify, std::size_t count) {
  INFO(name(notify));
  Pages pages;
  Session session(rotating(notify, 1));
  session.begin();
  const Aftermath after = fault_and_look(pages, count);
  session.finish();
  const Counts counts = session.counts();
  if (counts.mode != Mode::overflow) {
    WARN(counts.reason);
    return;
  }
  CHECK(after.heap == 0);
  CHECK(after.locks == 0);
  CHECK(after.error == EDOM);
  CHECK(counts.trigger->stretched == 0);
  CHECK(counts.windows_dropped == 0);
  // A fault of the handler itself, on its first stack, waits for the next one.
  CHECK(counts.switches >= count - 10);
  CHECK(*counts.events[0].total >= count);
  CHECK(*counts.events[0].total <= count + 20);
  REQUIRE(counts.log.has_value());
  CHECK(counts.log->group.size() + counts.log->lost == counts.switches);
  check_nothing_after_the_end(session, pages, count);
}

}  // namespace

TEST_CASE("overflow: the handler takes no heap and no lock, and leaves nothing behind", "[pmu]") {
  needs_perf();
  for (const Notify notify : {Notify::sigtrap, Notify::signal}) check_storm(notify, kSome);
}

TEST_CASE("overflow: a million times the handler takes no heap and no lock", "[.million]") {
  needs_perf();
  for (const Notify notify : {Notify::sigtrap, Notify::signal}) check_storm(notify, kMillion);
}

TEST_CASE("overflow: each window is in the log, also the one that the end cuts off", "[pmu]") {
  needs_perf();
  for (const Notify notify : {Notify::sigtrap, Notify::signal, Notify::poll}) {
    INFO(name(notify));
    for (const std::size_t faults : {0U, 150U}) {
      Pages pages;
      Session session(rotating(notify, 100));
      session.begin();
      fault(pages, faults);
      session.finish();
      const Counts counts = session.counts();
      if (counts.mode != Mode::overflow) {
        WARN(counts.reason);
        continue;
      }
      REQUIRE(counts.log.has_value());
      CHECK(counts.log->group.size() == counts.switches + counts.windows_dropped);
      std::uint64_t logged = 0;
      for (const std::uint64_t window : counts.log->trigger) logged += window;
      CHECK(logged == counts.events[0].total.value());  // it is the trigger
    }
  }
}

TEST_CASE("overflow: one that finds nothing armed is no window and no cost of one", "[pmu]") {
  needs_perf();
  for (const Notify notify : {Notify::sigtrap, Notify::signal}) {
    INFO(name(notify));
    Request request = rotating(notify, 100);
    request.droppable = true;
    request.budget = 0;  // so that the first look gives the counting up
    Pages pages;
    Session session(request);
    session.begin();
    const std::uint64_t begin_ns = cpu_ns();
    while (cpu_ns() - begin_ns < 30'000'000) {
    }
    for (int i = 0; i < 20; ++i) std::thread([] {}).join();  // some context switches
    session.watch();
    fault(pages, 200);  // the overflow that ends the last window
    const Counts before = session.counts();
    if (before.mode != Mode::overflow) {
      WARN(before.reason);
      continue;
    }
    REQUIRE(before.reason.find("pmu_budget") != std::string::npos);
    constexpr std::size_t kLate = 1000;
    std::size_t sent = 0;
    for (std::size_t i = 0; i < kLate; ++i) sent += send(overflow_signal(), POLL_IN);
    const Counts after = session.counts();
    session.finish();
    REQUIRE(sent == kLate);
    CHECK(after.log == before.log);
    CHECK(after == before);  // the handler's times among them
  }
}

TEST_CASE("overflow: a monitor's thread takes no heap, and is over with the counting", "[pmu]") {
  needs_perf();
  constexpr std::uint64_t kShort = 2;  // many overflows while one is being handled
  Pages pages;
  Session session(rotating(Notify::poll, kShort));
  session.begin();
  const Aftermath after = fault_and_look(pages, kSome);
  session.finish();
  const Counts counts = session.counts();
  CHECK(after.heap == 0);
  CHECK(after.error == EDOM);
  if (counts.mode != Mode::overflow) {
    WARN(counts.reason);
    return;
  }
  REQUIRE(counts.switches > 1);
  REQUIRE(counts.log.has_value());
  // Overflows that come while one is being handled must not end the next window; the end of the
  // counting may.
  UNSCOPED_INFO(counts.switches << " windows");
  CHECK(*std::min_element(counts.log->trigger.begin(), counts.log->trigger.end() - 1) >= kShort);
  check_nothing_after_the_end(session, pages, 1);
}

TEST_CASE("overflow: what is counted here is counted at all", "[pmu]") {
  const std::uint64_t heap = allocations();
  const std::uint64_t locked = locks;
  std::string text(1000, 'x');
  asm volatile("" : : "r"(text.data()) : "memory");  // or the compiler leaves it out
  std::mutex mutex;
  { const std::lock_guard guard(mutex); }
  CHECK(allocations() > heap);
  CHECK(locks > locked);
}

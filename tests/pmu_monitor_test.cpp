// pmu_monitor_test.cpp: what becomes of groups that take turns where the thread that would switch
// them can't be had. Skips (77) where perf events can't be opened.
#include "pmu/overflow_monitor.hpp"
#include "pmu/perf_backend.hpp"
#include "pmu/session.hpp"
#include "tests/catch.hpp"
#include "tests/pmu_sources.hpp"

#include <atomic>
#include <cerrno>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

constexpr int kAny = 1'000'000;
std::atomic<int> threads_left{kAny};  // that may be started
std::atomic<int> rings_left{kAny};    // of perf events that may be mapped

bool takes_one(std::atomic<int>& left) { return left.load() > 0 && left.fetch_sub(1) > 0; }

}  // namespace

// Both stand before the C library's, for this program and the C++ library.
extern "C" [[gnu::visibility("default")]] int pthread_create(pthread_t* thread,
                                                             const pthread_attr_t* attributes,
                                                             void* (*body)(void*),
                                                             void* argument) noexcept {
  if (!takes_one(threads_left)) return EAGAIN;
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  const auto real = reinterpret_cast<Create>(::dlsym(RTLD_NEXT, "pthread_create"));
  return real(thread, attributes, body, argument);
}

extern "C" [[gnu::visibility("default")]] void* mmap(void* address, std::size_t bytes, int access,
                                                     int flags, int fd, off_t offset) noexcept {
  if ((flags & MAP_SHARED) != 0 && fd >= 0 && !takes_one(rings_left)) {
    errno = EPERM;  // as the kernel answers above perf_event_mlock_kb
    return MAP_FAILED;
  }
  return reinterpret_cast<void*>(::syscall(SYS_mmap, address, bytes, access, flags, fd, offset));
}

namespace {

using namespace chronio::pmu;
using namespace chronio::tests;

/// From here on, until the end of the scope.
struct Scarce {
  Scarce(int threads, int rings) {
    threads_left = threads;
    rings_left = rings;
  }
  ~Scarce() { threads_left = rings_left = kAny; }
  Scarce(const Scarce&) = delete;
  Scarce& operator=(const Scarce&) = delete;
  Scarce(Scarce&&) = delete;
  Scarce& operator=(Scarce&&) = delete;
};

struct Ignoring final : OverflowSink {
  void on_overflow() noexcept override {}
};

Counts counted(Session& session) {
  Pages pages;
  session.begin();
  for (std::size_t page = 0; page < 1000; ++page) pages.touch(page);
  session.finish();
  session.close();
  return session.counts();
}

}  // namespace

TEST_CASE("monitor: what it can't have is an errno, and it can be destroyed", "[pmu]") {
  needs_perf();
  PerfBackend backend(Notify::poll, 0);
  REQUIRE(backend.add_group(named("page-faults"), {}, 100) == 0);
  REQUIRE(backend.add_group(named("page-faults"), {}, 100) == 0);
  const auto started = [&](int threads, int rings, int last_leader) {
    const Scarce scarce(threads, rings);
    Ignoring sink;
    OverflowMonitor monitor(sink);
    return monitor.start({backend.leader(0), last_leader});
  };
  CHECK(started(kAny, kAny, backend.leader(1)) == 0);
  CHECK(started(0, kAny, backend.leader(1)) == -EAGAIN);
  CHECK(started(kAny, 0, backend.leader(1)) == -ENOBUFS);
  CHECK(started(kAny, 1, backend.leader(1)) == -ENOBUFS);
  CHECK(started(kAny, kAny, -1) == -EBADF);
}

TEST_CASE("monitor: without it groups are switched by the kernel, with the reason", "[pmu]") {
  needs_perf();
  struct Lack {
    int threads, rings;  // that can be had; the trial of the way takes one of each
    const char* reason;
  };
  for (const Lack& lack :
       {Lack{0, kAny, "no thread"}, Lack{1, kAny, "no thread"},
        Lack{kAny, 0, "perf_event_mlock_kb"}, Lack{kAny, 1, "perf_event_mlock_kb"},
        Lack{kAny, 2, "perf_event_mlock_kb"}}) {
    CAPTURE(lack.threads, lack.rings);
    Request request;
    request.need = Need::automatic;
    request.events = parse_events("{page-faults},{minor-faults},{major-faults}").groups;
    request.trigger = named("page-faults");
    request.notify = Notify::poll;
    request.log = true;
    const Scarce scarce(lack.threads, lack.rings);
    Session session(request);
    const Counts counts = counted(session);
    CHECK(counts.mode == Mode::kernel);
    CHECK(counts.notify == Notify::none);
    CHECK(counts.estimator == Estimator::time);
    CHECK_FALSE(counts.trigger.has_value());
    CHECK_FALSE(counts.log.has_value());
    CHECK(counts.reason == session.shortfall());
    CHECK(counts.reason.find("groups are switched by the kernel's timer: ") == 0);
    CHECK(counts.reason.find(lack.reason) != std::string::npos);
    for (const EventCount& event : counts.events) CHECK(event.total.has_value());
    CHECK(counts.events[0].total.value_or(0) >= 1000);
  }
}

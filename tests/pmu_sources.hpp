// pmu_sources.hpp: events that any kernel counts and a program can make happen as often as it
// likes: they stand in for those of hardware counters.
#pragma once

#include "pmu/event.hpp"
#include "pmu/perf_event.hpp"
#include "pmu/trial.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace chronio::tests {

/// An event by its name. REQUIRES: there is one of that name.
inline pmu::Event named(const char* name) { return *pmu::find_event(name, "/sys").event; }

/// Skips the whole file: exit status 77, which Meson takes for skipped.
[[noreturn]] inline void skip(const std::string& reason) {
  std::printf("%s\n", reason.c_str());
  std::fflush(stdout);
  std::_Exit(77);
}

/// Skips where not even page faults may be counted, as with a strict perf_event_paranoid or in a
/// container.
inline void needs_perf() {
  if (const pmu::Trial trial = pmu::try_event(named("page-faults")); trial.error != 0)
    skip("perf events can't be opened: errno " + std::to_string(trial.error));
}

/// Each call of `function` is one event, in user mode. Source: perf_event_open(2), bp_type, bp_addr
/// and bp_len; an execution breakpoint has the length of a long on x86, of an instruction on arm64.
inline pmu::Event breakpoint(void (*function)()) {
#ifdef __x86_64__
  constexpr std::uint64_t kLength = sizeof(long);
#else
  constexpr std::uint64_t kLength = 4;
#endif
  pmu::Event event;
  event.name = "breakpoint";
  event.type = PERF_TYPE_BREAKPOINT;
  event.bp_type = HW_BREAKPOINT_X;
  event.config1 = reinterpret_cast<std::uintptr_t>(function);
  event.config2 = kLength;
  event.kernel = false;
  event.software = true;
  return event;
}

/// Whether breakpoints are counted here: some virtual machines accept them and never meet one. One
/// call is made and counted to find out.
inline bool meets_breakpoints() {
  struct Called {
    [[gnu::noinline]] static void once() { asm volatile("nop" ::: "memory"); }
  };
  const pmu::Descriptor fd(pmu::open_event(breakpoint(Called::once), {}));
  Called::once();
  pmu::GroupReading reading;
  return fd.get() >= 0 && pmu::read_group(fd.get(), reading) == 0 && reading.value[0] == 1;
}

/// 64 MiB in which each first touch of a page is one page fault. Small pages only: a huge one would
/// be one fault for 512.
class Pages {
 public:
  Pages()
      : bytes_(static_cast<char*>(::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {
    ::madvise(bytes_, kBytes, MADV_NOHUGEPAGE);
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  Pages(Pages&&) = delete;
  Pages& operator=(Pages&&) = delete;
  ~Pages() { ::munmap(bytes_, kBytes); }

  // A sanitizer has a memory of its own for each page, whose faults would be counted too.
  [[gnu::no_sanitize_address, gnu::no_sanitize_thread]] void touch(std::size_t page) {
    static_cast<volatile char*>(bytes_)[page * static_cast<std::size_t>(::getpagesize())] = 1;
  }
  /// All pages are untouched again: the next round of touches faults again.
  void forget() { ::madvise(bytes_, kBytes, MADV_DONTNEED); }

  /// Pages, so also the most faults of a round.
  [[nodiscard]] static std::size_t count() {
    return kBytes / static_cast<std::size_t>(::getpagesize());
  }

 private:
  static constexpr std::size_t kBytes = std::size_t{64} << 20;
  char* bytes_;
};

}  // namespace chronio::tests

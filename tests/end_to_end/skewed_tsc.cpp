// skewed_tsc.cpp: a library to preload that makes the time-stamp counters of CPUs differ: each is
// ahead of the one numbered before it by CHRONIO_TEST_SKEW_NS. x86-64 only.
// PR_SET_TSC makes every reading a SIGSEGV, whose handler answers in its place. That takes
// microseconds, so all time in the process runs at a 256th of its speed, or a fraction of
// CHRONIO_TEST_TIME_DIVISOR: by its own clocks, a reading then costs some tens of ns, as a real
// one does.
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <initializer_list>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <x86intrin.h>

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

std::uint64_t slowdown = 256;
std::uint64_t origin_ticks = 0;
std::uint64_t skew_ticks = 0;  // of each CPU against the one numbered before it

/// CLOCK_MONOTONIC_RAW, CLOCK_MONOTONIC and CLOCK_BOOTTIME at the start, in ns.
std::uint64_t origins[CLOCK_BOOTTIME + 1];

bool is_slowed(clockid_t id) {
  return id == CLOCK_MONOTONIC || id == CLOCK_MONOTONIC_RAW || id == CLOCK_BOOTTIME;
}

/// The vDSO would read the counter, too.
int kernel_time(clockid_t id, timespec* time) {
  return static_cast<int>(::syscall(SYS_clock_gettime, id, time));
}

std::uint64_t kernel_ns(clockid_t id) {
  timespec time = {};
  kernel_time(id, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * kSecond +
         static_cast<std::uint64_t>(time.tv_nsec);
}

std::uint64_t slowed(std::uint64_t now, std::uint64_t origin) {
  return origin + (now - origin) / slowdown;
}

timespec to_timespec(std::uint64_t ns) {
  timespec time = {};
  time.tv_sec = static_cast<time_t>(ns / kSecond);
  time.tv_nsec = static_cast<long>(ns % kSecond);
  return time;
}

std::uint64_t to_ns(const timespec& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * kSecond +
         static_cast<std::uint64_t>(time.tv_nsec);
}

void set_tsc(int mode) { ::syscall(SYS_prctl, PR_SET_TSC, mode); }

volatile std::sig_atomic_t answered = 0;

void answer_reading(int /*signal*/, siginfo_t* /*info*/, void* context) {
  auto* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto* code = reinterpret_cast<const unsigned char*>(registers[REG_RIP]);
  const bool rdtsc = code[0] == 0x0f && code[1] == 0x31;
  const bool rdtscp = code[0] == 0x0f && code[1] == 0x01 && code[2] == 0xf9;
  if (!rdtsc && !rdtscp) std::abort();
  const int saved_errno = errno;
  unsigned cpu = 0;  // by the kernel: not every CPU has RDTSCP
  ::syscall(SYS_getcpu, &cpu, nullptr, nullptr);
  set_tsc(PR_TSC_ENABLE);
  _mm_lfence();
  const std::uint64_t real = __rdtsc();
  set_tsc(PR_TSC_SIGSEGV);
  errno = saved_errno;
  const std::uint64_t answer = slowed(real, origin_ticks) + skew_ticks * cpu;
  registers[REG_RAX] = static_cast<long long>(answer & 0xffffffffU);
  registers[REG_RDX] = static_cast<long long>(answer >> 32U);
  if (rdtscp) registers[REG_RCX] = cpu;
  registers[REG_RIP] += rdtsc ? 2 : 3;
  answered = 1;
}

/// Some hypervisors take PR_SET_TSC and trap nothing.
void demand_an_answer() {
  static_cast<void>(__rdtsc());
  if (answered != 0) return;
  constexpr char kWhy[] = "this machine does not trap readings of the counter\n";
  static_cast<void>(::write(STDERR_FILENO, kWhy, sizeof kWhy - 1));
  ::_exit(77);
}

std::uint64_t setting(const char* name, std::uint64_t fallback) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : fallback;
}

[[gnu::constructor]] void begin() {
  slowdown = setting("CHRONIO_TEST_TIME_DIVISOR", slowdown);
  const std::uint64_t skew_ns = setting("CHRONIO_TEST_SKEW_NS", 0);
  for (const clockid_t id : {CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_BOOTTIME})
    origins[id] = kernel_ns(id);
  origin_ticks = __rdtsc();
  const std::uint64_t begin_ns = kernel_ns(CLOCK_MONOTONIC_RAW);
  while (kernel_ns(CLOCK_MONOTONIC_RAW) - begin_ns < 2'000'000) {
  }
  const std::uint64_t ticks = __rdtsc() - origin_ticks;
  skew_ticks = skew_ns * ticks / (kernel_ns(CLOCK_MONOTONIC_RAW) - begin_ns);
  struct sigaction action = {};
  action.sa_sigaction = answer_reading;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  ::sigaction(SIGSEGV, &action, nullptr);
  set_tsc(PR_TSC_SIGSEGV);
  demand_an_answer();
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] int clock_gettime(clockid_t id, timespec* time) noexcept {
  if (!is_slowed(id)) return kernel_time(id, time);
  *time = to_timespec(slowed(kernel_ns(id), origins[id]));
  return 0;
}

[[gnu::visibility("default")]] int clock_nanosleep(clockid_t id, int flags, const timespec* time,
                                                   timespec* /*left*/) {
  std::uint64_t ns = to_ns(*time);
  if ((flags & TIMER_ABSTIME) != 0) {
    const std::uint64_t now = slowed(kernel_ns(id), origins[id]);
    ns = ns > now ? ns - now : 0;
  }
  const timespec real = to_timespec(ns * slowdown);
  ::syscall(SYS_nanosleep, &real, nullptr);
  return 0;
}

[[gnu::visibility("default")]] int nanosleep(const timespec* time, timespec* /*left*/) {
  return clock_nanosleep(CLOCK_MONOTONIC, 0, time, nullptr);
}

/// Who asks whether the counter may be read hears yes.
[[gnu::visibility("default")]] int prctl(int option, ...) noexcept {
  std::va_list list;
  va_start(list, option);
  const auto a = va_arg(list, unsigned long);
  const auto b = va_arg(list, unsigned long);
  const auto c = va_arg(list, unsigned long);
  const auto d = va_arg(list, unsigned long);
  va_end(list);
  if (option != PR_GET_TSC) return static_cast<int>(::syscall(SYS_prctl, option, a, b, c, d));
  *reinterpret_cast<int*>(a) = PR_TSC_ENABLE;
  return 0;
}
}

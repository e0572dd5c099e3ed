// overflow_signal.cpp: one handler for the process; a pointer per thread.
#include "pmu/overflow_signal.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <mutex>
#include <pthread.h>
#include <string_view>
#include <sys/utsname.h>

namespace chronio::pmu {
namespace {

constexpr int kTrapPerf = 6;  // TRAP_PERF; older C libraries don't know it

/// SIGIO comes in place of the real-time signal when no more can be queued (fcntl(2), F_SETSIG);
/// its default would end the process.
std::array<int, 3> overflow_signals() noexcept { return {overflow_signal(), SIGIO, SIGTRAP}; }

// Of the executable's own thread-local block: reading it takes no lock and allocates nothing.
// Atomic for the order seen by the thread's own handler only.
[[gnu::tls_model("initial-exec")]] constinit thread_local std::atomic<OverflowSink*> tls_sink{
    nullptr};
static_assert(std::atomic<OverflowSink*>::is_always_lock_free);

void handle(int signal, siginfo_t* info, void* /*context*/) {
  // What it would have done without this handler: it ends the process, once this one returns.
  if (signal == SIGTRAP && info->si_code != kTrapPerf) {  // a breakpoint of somebody else's
    std::signal(SIGTRAP, SIG_DFL);
    std::raise(SIGTRAP);
    return;
  }
  // Between any two instructions of the thread, also between a call and its look at errno.
  const int saved = errno;
  if (OverflowSink* sink = tls_sink.load(std::memory_order_relaxed); sink != nullptr)
    sink->on_overflow();
  errno = saved;
}

}  // namespace

int overflow_signal() noexcept { return SIGRTMIN + 3; }

bool traps_can_wait() noexcept {
  utsname system = {};
  // By the version, since trying it would end the process.
  if (::uname(&system) != 0) return false;
  const std::string_view release = system.release;
  int major = 0, minor = 0;
  const char* end = release.data() + release.size();
  const char* dot = std::from_chars(release.data(), end, major).ptr;
  if (dot != end) std::from_chars(dot + 1, end, minor);
  return major > 5 || (major == 5 && minor >= 19);
}

void install_overflow_handlers() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action = {};
    action.sa_sigaction = handle;
    // Restarted is read(2), but neither epoll_wait(2) nor clock_nanosleep(2) nor a wait for
    // io_uring (Linux 6.18): engines go on by themselves.
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&action.sa_mask);
    // All three while one is handled, since all lead to the same rotation.
    for (const int signal : overflow_signals()) sigaddset(&action.sa_mask, signal);
    for (const int signal : overflow_signals()) sigaction(signal, &action, nullptr);
  });
}

void set_overflow_sink(OverflowSink* sink) noexcept {
  tls_sink.store(sink, std::memory_order_relaxed);
  // The handler may run from the next instruction on.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  // The signals stay unblocked: one that is still under way finds no sink and is ignored.
  if (sink == nullptr) return;
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : overflow_signals()) sigaddset(&set, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace chronio::pmu

// overflow_monitor.cpp: poll(2) over the groups' leaders.
#include "pmu/overflow_monitor.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

namespace chronio::pmu {
namespace {

std::size_t ring_bytes() noexcept {
  return 2 * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));  // the header, and a page of data
}

/// Empties the ring, or it fills up. False: there was nothing in it.
bool drain(void* ring) noexcept {
  auto* header = static_cast<perf_event_mmap_page*>(ring);
  // The records themselves are not read: the counts come from the group's leader.
  const auto head = __atomic_load_n(&header->data_head, __ATOMIC_ACQUIRE);
  const bool news = head != header->data_tail;
  __atomic_store_n(&header->data_tail, head, __ATOMIC_RELEASE);
  return news;
}

// poll(2) passes over what is negative.
bool is_left_out(const pollfd& leader) noexcept { return leader.fd < 0; }
void leave_out(pollfd& leader) noexcept {
  if (!is_left_out(leader)) leader.fd = ~leader.fd;
}
void take_in(pollfd& leader) noexcept {
  if (is_left_out(leader)) leader.fd = ~leader.fd;
}

}  // namespace

OverflowMonitor::~OverflowMonitor() {
  if (thread_.joinable()) {
    // A byte would not do: eventfd(2) takes eight.
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t n = ::write(stop_.get(), &one, sizeof one);
    thread_.join();
  }
  // After the thread, which reads them.
  for (void* ring : rings_) ::munmap(ring, ring_bytes());
}

int OverflowMonitor::start(const std::vector<int>& leaders) {
  // A descriptor, since poll(2) waits for nothing else.
  stop_ = Descriptor(::eventfd(0, EFD_CLOEXEC));
  if (stop_.get() < 0) return -errno;
  for (const int leader : leaders) {
    void* ring = ::mmap(nullptr, ring_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, leader, 0);
    // Where all rings of a user would be more than may be locked. From perf_event_open(2) the same
    // errno means something else.
    if (ring == MAP_FAILED) return errno == EPERM ? -ENOBUFS : -errno;
    rings_.push_back(ring);
  }
  for (const int leader : leaders) fds_.push_back({leader, POLLIN, 0});
  // Last, so that fds_[i] and rings_[i] are of the same leader.
  fds_.push_back({stop_.get(), POLLIN, 0});
  try {
    thread_ = std::thread([this] { watch(); });
  } catch (const std::system_error& error) {
    return -error.code().value();  // EAGAIN, as pthread_create(3) has it
  }
  return 0;
}

/// A leader without counters polls as failed, on newer kernels, until it is armed anew, which takes
/// its turn: meanwhile it is left out, or this thread would do nothing but poll. Nobody tells when
/// that is over, so it is taken in again whenever nothing else comes for a while.
bool OverflowMonitor::wait() {
  constexpr int kWhileMs = 100;
  const bool all = std::ranges::none_of(fds_, is_left_out);
  if (::poll(fds_.data(), fds_.size(), all ? -1 : kWhileMs) == 0)
    std::ranges::for_each(fds_, take_in);
  return (fds_.back().revents & POLLIN) == 0;
}

void OverflowMonitor::watch() {
  while (wait()) {
    for (std::size_t i = 0; i < rings_.size(); ++i) {
      if ((fds_[i].revents & (POLLERR | POLLHUP)) != 0) leave_out(fds_[i]);
      if ((fds_[i].revents & POLLIN) == 0) continue;
      const std::lock_guard guard(mutex_);
      if (!drain(rings_[i])) continue;  // woken by what came while the last window was ended
      sink_.on_overflow();
      drain(rings_[i]);  // and that must not end the next one
    }
  }
}

}  // namespace chronio::pmu

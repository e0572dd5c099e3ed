// steady_group.cpp: opens, starts, stops and reads one group.
#include "pmu/steady_group.hpp"

#include <cerrno>

namespace chronio::pmu {

int SteadyGroup::open(const std::vector<const Event*>& events, bool pinned) {
  for (const Event* event : events) {
    OpenAs as;
    as.leader = events_.empty() ? -1 : events_.front().get();
    // The first is the leader, and it alone has a switch.
    as.disabled = events_.empty();
    as.pinned = pinned && events_.empty();
    const int fd = open_event(*event, as);
    if (fd < 0) return fd;
    events_.emplace_back(fd);
  }
  begin();
  // Opening succeeds even where somebody else holds a counter: only running shows it.
  for (int i = 0; i < 1000; ++i) asm volatile("");
  stop();
  read();
  // Groups that may take turns get theirs later.
  return pinned && running_ns() == 0 ? -EBUSY : 0;
}

void SteadyGroup::begin() noexcept {
  if (read_group(events_.front().get(), first_) != 0) first_ = {};
  last_ = first_;
  start();
}

void SteadyGroup::start() noexcept { enable_group(events_.front().get()); }

void SteadyGroup::stop() noexcept { disable_group(events_.front().get()); }

void SteadyGroup::read() noexcept {
  // Unreadable: nothing was counted, rather than all since the group was opened.
  if (read_group(events_.front().get(), last_) != 0) last_ = first_;
}

}  // namespace chronio::pmu

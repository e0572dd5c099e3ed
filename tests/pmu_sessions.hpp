// pmu_sessions.hpp: sessions that count page faults of this thread, for the tests of sessions.
#pragma once

#include "pmu/session.hpp"
#include "pmu/usage.hpp"
#include "tests/catch.hpp"
#include "tests/pmu_sources.hpp"

#include <string_view>

namespace chronio::tests {

/// `count` page faults, all of them minor, of pages that nobody has touched.
inline void fault(Pages& pages, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) pages.touch(i);
}

inline void use_cpu(std::uint64_t ns) {
  const pmu::Usage start = pmu::thread_usage();
  while (true) {
    const pmu::Usage used = pmu::between(start, pmu::thread_usage());
    if (used.user_ns + used.system_ns >= ns) return;
  }
}

inline pmu::Request request_of(std::string_view events) {
  pmu::Request request;
  request.need = pmu::Need::automatic;
  request.events = pmu::parse_events(events).groups;
  REQUIRE_FALSE(request.events.empty());
  return request;
}

/// Counts of `faults` page faults, and perhaps a few of the program's own.
inline pmu::Counts counted(pmu::Session& session, std::size_t faults) {
  Pages pages;  // mapped before the beginning: a sanitizer's book-keeping faults, too
  session.begin();
  fault(pages, faults);
  session.finish();
  session.close();
  return session.counts();
}

inline constexpr std::size_t kFaults = 5000;

/// Counts of sessions of `request` around work(), up to the first that satisfies `enough`: a thread
/// that switches for another may have no CPU before any one of them ends. Those of the last of 100
/// when none does.
template <class Work, class Enough>
pmu::Counts counted_until(const pmu::Request& request, Work&& work, Enough&& enough) {
  for (int tries = 1;; ++tries) {
    pmu::Session session(request);
    session.begin();
    work();
    session.finish();
    session.close();
    const pmu::Counts counts = session.counts();
    if (tries == 100 || enough(counts)) return counts;
  }
}

inline pmu::Request rotating(const char* trigger) {
  pmu::Request request = request_of("{page-faults},{minor-faults},{major-faults}");
  request.trigger = pmu::find_event(trigger, {}).event;
  return request;
}

}  // namespace chronio::tests

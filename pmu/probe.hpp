// probe.hpp: what this machine and this user can count, and why not. Found by trying.
#pragma once

#include "pmu/estimate.hpp"

#include <limits>
#include <string>
#include <vector>

namespace chronio::pmu {

/// [setup] Opens each generic hardware and software event on the calling thread and lets it count a
/// moment. In the order of generic_event_names().
[[nodiscard]] std::vector<EventStatus> probe_events();

/// [setup] Events, counters, and how overflows are told: what `chronio pmu` prints. A way that
/// tells of no overflow takes 0.1 s of CPU time. May install the overflow handlers, and leaves
/// them.
[[nodiscard]] Capabilities probe_capabilities();

/// No level is as low; -1 is the kernel's lowest.
inline constexpr int kUnknownLevel = std::numeric_limits<int>::min();

/// kernel.perf_event_paranoid, or kUnknownLevel when it can't be read.
[[nodiscard]] int paranoid_level();

/// The sentence for an errno of perf_event_open(2); EBUSY also for an event that opened but did not
/// get a counter. `paranoid` as of paranoid_level(). With the cure where there is one. `error`:
/// positive. `hardware`: the event takes a counter.
[[nodiscard]] std::string why_unavailable(int error, bool hardware, int paranoid);

/// Why overflows are not told in one way, by the errno of trying it. `error`: positive, of
/// try_notify().
[[nodiscard]] std::string why_no_overflow(int error);

}  // namespace chronio::pmu

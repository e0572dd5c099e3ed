// probe.hpp: which events this machine and this user can count, and why not. Found by trying.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace chronio::pmu {

struct EventStatus {
  std::string name;  ///< "cycles", "instructions", "context-switches", ...
  bool hardware = false;
  bool available = false;
  bool user_only = false;  ///< kernel mode could not be counted
  std::string reason;  ///< why not, or why only user mode: one sentence with the cure, else empty
};

/// Opens each generic hardware and software event on the calling thread and lets it count a moment.
[[nodiscard]] std::vector<EventStatus> probe_events();

/// The sentence for an errno of perf_event_open(2); EBUSY also for an event that opened but did not
/// get a counter. `paranoid` is kernel.perf_event_paranoid, or -2 when it can't be read.
[[nodiscard]] std::string why_unavailable(int error, bool hardware, int paranoid);

}  // namespace chronio::pmu

// trial.hpp: what can be counted on the calling thread, found by trying. Internal to pmu.
#pragma once

#include "pmu/estimate.hpp"
#include "pmu/event.hpp"
#include "pmu/period.hpp"

#include <cstddef>
#include <string>

namespace chronio::pmu {

/// An event as it can be counted.
struct Trial {
  Event event;      ///< without its kernel part, and named so, where that is forbidden
  int error = 0;    ///< errno; 0: it counts
  int partial = 0;  ///< errno of the kernel's part when only that is missing
};

/// Opens `event` and lets it count a moment. Without the kernel's part first: where that part is
/// forbidden, asking for it gives EACCES even when there is no PMU at all.
[[nodiscard]] Trial try_event(const Event& event);

/// How many hardware events count at the same time beside `trigger`, which may be null: at most
/// kMaxMembers. `event` is any hardware event that counts. Found by running them: opening succeeds
/// also when others, such as the NMI watchdog, hold a counter.
[[nodiscard]] std::size_t count_counters(const Event& event, const Event* trigger);

/// Arms `trigger`, waits for its overflow, harvests, and all of it again: 0 when that works by
/// `notify`, -ETIME when no overflow comes within 100 ms of CPU time, or another -errno.
[[nodiscard]] int try_notify(const Event& trigger, Notify notify);

/// How long windows may be that `trigger` ends. A clock's are in ns; of all other software events,
/// the rare trigger's.
[[nodiscard]] const PeriodLimits& limits_of(const Event& trigger) noexcept;

/// The event whose overflows end windows where nobody names one: instructions, cycles or the CPU
/// time, whichever counts here. With error when none does.
[[nodiscard]] Trial default_trigger();

}  // namespace chronio::pmu

// event.hpp: what can be counted, as plain data, and how it is spelled. Opens nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace chronio::pmu {

/// One event as perf_event_attr wants it. Kernel and user mode are counted unless one is excluded.
struct Event {
  std::string name;        ///< as it was spelled, with ":u" or ":k"
  std::uint32_t type = 0;  ///< perf_event_attr::type
  /// What counts, in the terms of `type`.
  std::uint64_t config = 0;
  std::uint64_t config1 = 0;  ///< address of a breakpoint
  std::uint64_t config2 = 0;  ///< bytes that a breakpoint watches
  std::uint32_t bp_type = 0;  ///< HW_BREAKPOINT_*
  bool user = true;
  bool kernel = true;
  bool software = false;     ///< takes no hardware counter
  bool kernel_only = false;  ///< happens in kernel mode only: without that part nothing is counted
};

/// True when both count the same thing, however they are spelled. Modes count, names don't.
[[nodiscard]] bool same_event(const Event& a, const Event& b) noexcept;

/// Whether its events are ns. The kernel counts them whole whatever mode is excluded; only
/// overflows heed that.
[[nodiscard]] bool is_clock(const Event& event) noexcept;

/// An event, or why there is none of that name. Exactly one of the two is there.
struct FoundEvent {
  std::optional<Event> event;
  std::string error;  ///< what is wrong and what would be right; empty with an event
};

/// [setup] The event that `text` names: a generic one ("instructions"), of a cache
/// ("LLC-load-misses"), raw ("r01c2"), of a PMU ("cpu/event=0x3c,umask=0/", "cpu/cpu-cycles/"), of
/// the kernel ("page-faults") or a tracepoint ("block:block_rq_issue"), with ":u" or ":k" behind it
/// for user or kernel mode alone. `sysfs` is where PMUs and tracepoints are looked up: "/sys".
/// Names are perf's. Does not ask whether it can be counted here: that is try_event().
[[nodiscard]] FoundEvent find_event(std::string_view text, const std::string& sysfs);

/// Names of the generic hardware events and the software events, in the order of `chronio pmu`. One
/// name of each event; they live as long as the program.
[[nodiscard]] std::span<const std::string_view> generic_event_names();

}  // namespace chronio::pmu

// sysfs_event.hpp: events that the kernel describes in sysfs: those of a PMU by its `events/` and
// `format/`, and tracepoints by their id. Internal to pmu.
#pragma once

#include "pmu/event.hpp"

#include <string>
#include <string_view>

namespace chronio::pmu {

/// `terms` of the PMU `device`: "event=0x3c,umask=1" by its format, or a name of its events. Later
/// terms override earlier ones and those of a named event.
/// Source: the kernel's Documentation/ABI/testing/sysfs-bus-event_source-devices-format.
[[nodiscard]] FoundEvent find_device_event(std::string_view device, std::string_view terms,
                                           const std::string& sysfs);

/// The tracepoint `name` of `system`. Looked for in tracefs, then where debugfs has it.
[[nodiscard]] FoundEvent find_tracepoint(std::string_view system, std::string_view name,
                                         const std::string& sysfs);

/// A number as perf spells it, decimal or 0x; nothing when `text` is none.
[[nodiscard]] std::optional<std::uint64_t> read_number(std::string_view text) noexcept;

}  // namespace chronio::pmu

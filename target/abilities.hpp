// abilities.hpp: what the disk below a target can do, as the kernel tells it without any I/O.
#pragma once

#include "target/sysfs.hpp"
#include "target/target.hpp"

#include <optional>
#include <string>

namespace chronio::target {

/// Why `target` can't be trimmed, in words; nothing when it may be tried. Only the file system
/// itself knows of a file, and what is absent becomes one, so both may always be tried. Source:
/// queue/discard_max_bytes in the kernel's Documentation/ABI/stable/sysfs-block.
[[nodiscard]] std::optional<std::string> why_not_trimmable(const Target& target,
                                                           const Sysfs& sysfs = Sysfs());

/// Why completions of `target` can't be polled for, in words; nothing when they can. A device needs
/// poll queues (queue/io_poll is not 0), a file a device that has them.
[[nodiscard]] std::optional<std::string> why_not_pollable(const Target& target,
                                                          const Sysfs& sysfs = Sysfs());

/// The NVMe generic device ("/dev/ng0n1") of the namespace that a block device is; empty: none, or
/// the node is not there. For messages.
[[nodiscard]] std::string generic_sibling(const Target& target, const Sysfs& sysfs = Sysfs());

}  // namespace chronio::target

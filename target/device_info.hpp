// device_info.hpp: device_info for a device number and any sysfs tree, for tests.
#pragma once

#include "target/sysfs.hpp"
#include "target/target.hpp"

namespace chronio::target {

/// `device`: a dev_t of a block device; empty strings when sysfs does not know it. Name of the
/// whole disk; the rest from the disk at the bottom when a device-mapper or md device stands on
/// exactly one.
[[nodiscard]] DeviceInfo device_info(const Sysfs& sysfs, std::uint64_t device);

}  // namespace chronio::target

// signature.hpp: whether a device is blank to libblkid; the only user of that library.
#pragma once

#include <string>

namespace chronio::target {

/// What stands on a device that is open for reading, in words: "ext4 (label \"home\", UUID ...)",
/// "a partition table (gpt, ...)"; empty when libblkid finds nothing. A damaged superblock counts
/// as found. Reads only. Throws Error when the device can't be read.
[[nodiscard]] std::string signature_on(int fd);

}  // namespace chronio::target

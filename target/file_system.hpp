// file_system.hpp: names of file systems by the number that statfs(2) gives.
#pragma once

#include <cstdint>
#include <string>

namespace chronio::target {

/// "xfs", "tmpfs", ...; "0x1234" when the number isn't known. ext2 and ext3 share ext4's number
/// (and, in today's kernels, its driver), so all three are "ext4". Source: statfs(2), linux/magic.h
/// and the kernel's fs/*.
[[nodiscard]] std::string file_system_name(std::uint64_t magic);

/// Name of the file system that holds `path`; empty when statfs(2) fails.
[[nodiscard]] std::string file_system_of(const std::string& path);

}  // namespace chronio::target

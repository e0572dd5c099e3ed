// mounts.hpp: the kernel's tables of mounts and swaps, parsed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chronio::target {

/// A line of mountinfo, as far as it matters here.
struct Mount {
  /// Of the file system, a dev_t; its major number is 0 for btrfs, nfs and the like.
  std::uint64_t device = 0;
  std::string point;   ///< where it is mounted
  std::string type;    ///< "ext4"
  std::string source;  ///< "/dev/sda1", "tmpfs", "host:/path"
};

/// Text of /proc/self/mountinfo (proc(5)) in its order, octal escapes undone. Lines that can't be
/// read are left out.
[[nodiscard]] std::vector<Mount> parse_mountinfo(std::string_view text);

/// Paths in /proc/swaps (proc(5)), octal escapes undone: of devices and of files.
[[nodiscard]] std::vector<std::string> parse_swaps(std::string_view text);

/// The tables of this process's mount namespace; empty when they can't be read. What another
/// namespace has mounted is not in them: an open with O_EXCL finds it all the same.
[[nodiscard]] std::vector<Mount> read_mounts();
[[nodiscard]] std::vector<std::string> read_swaps();

/// The mount that holds `path` (or the folder of an absent one): of those whose point leads there,
/// the deepest, and of equally deep ones the last, which hides the others.
[[nodiscard]] std::optional<Mount> mount_of(const std::vector<Mount>& mounts,
                                            const std::string& path);

}  // namespace chronio::target

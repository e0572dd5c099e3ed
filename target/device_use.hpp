// device_use.hpp: what speaks against writing to a block device: facts, and the decision on them.
#pragma once

#include "target/fd.hpp"
#include "target/mounts.hpp"
#include "target/sysfs.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace chronio::target {

/// Something that uses a device: what, and which of the overlapping devices.
struct Use {
  std::uint64_t device = 0;
  std::string by;  ///< "mounted at /home (ext4)", "swap", "held by dm-0"
};

/// What was seen of a block device, before any open for writing. Facts and decision are apart, so
/// that every reason to refuse is tested without a device.
struct DeviceFacts {
  std::vector<BlockDevice> overlapping;  ///< itself first; empty: unknown to sysfs
  std::vector<Use> uses;                 ///< of any device in this machine
  int exclusive_error = 0;               ///< errno of a read-only open with O_EXCL; 0: it succeeded
  std::string signature;                 ///< what libblkid found; empty: blank
  std::string unreadable;                ///< why libblkid could not look; empty: it could
};

/// Why a device with these facts may not be written; nothing when it may. The first objection: from
/// "unknown", over who uses it, to what is on it. Pure.
[[nodiscard]] std::optional<std::string> objection(const DeviceFacts& facts);

/// Mounts as uses, one or two each. `number_of` gives the block device number behind a path, or 0.
template <class NumberOf>
[[nodiscard]] std::vector<Use> uses_by_mounts(const std::vector<Mount>& mounts,
                                              NumberOf number_of) {
  std::vector<Use> uses;
  for (const Mount& mount : mounts) {
    const std::string by = "mounted at " + mount.point + " (" + mount.type + ")";
    uses.push_back({mount.device, by});
    // The number of a btrfs mount is anonymous: its source names one of its devices.
    if (const std::uint64_t source = number_of(mount.source); source != 0)
      uses.push_back({source, by});
  }
  return uses;
}

/// Looks at the device: tables of the kernel, sysfs, then `node` itself, read-only. `node` is its
/// path. What can't be looked at is among the facts; does not throw.
[[nodiscard]] DeviceFacts look_at(const Sysfs& sysfs, std::uint64_t device,
                                  const std::string& node);

/// The same, and `held` keeps the device open with O_EXCL, where that can be had: who asks for the
/// same meanwhile (mount(2), mkfs) gets EBUSY.
[[nodiscard]] DeviceFacts look_at(const Sysfs& sysfs, std::uint64_t device, const std::string& node,
                                  Fd& held);

/// Number of the block device at `path`, links followed; 0 when there is none.
[[nodiscard]] std::uint64_t block_number(const std::string& path);

}  // namespace chronio::target

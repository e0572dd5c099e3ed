// target.hpp: what is read and written: what stands at a path, how big it is, how it may be
// accessed. Looks only; opens nothing for writing.
#pragma once

#include "engines/engine.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>

namespace chronio::target {

/// A target can't be used; what() names path, cause and cure.
struct Error : std::runtime_error {
  Error(int error, const std::string& message) : std::runtime_error(message), code(error) {}
  int code;  ///< errno; 0 when the refusal is our own
};

/// `other`: FIFOs and sockets. A symbolic link is what it leads to; one that leads nowhere is
/// absent.
enum class Kind : std::uint8_t { absent, file, directory, block, character, other };

/// What stands at a path (symbolic links followed): a snapshot. What is opened later is held
/// against it (see open_target()).
struct Target {
  std::string path;
  Kind kind = Kind::absent;
  std::uint64_t bytes = 0;            ///< of a file or block device
  std::uint32_t logical_block = 512;  ///< bytes: alignment that direct I/O needs
  std::uint64_t device = 0;           ///< dev_t of the device itself, or of the file's file system
  std::uint64_t inode = 0;            ///< of a file
  std::string file_system;  ///< of a file or its folder: "ext4", "tmpfs", "0x1234" when unknown
  int stat_error = 0;       ///< errno other than ENOENT that stat(2) answered
};

/// Looks at `path`, by stat(2), sysfs and, for what those don't tell, an open for reading of a
/// block device. Does not throw: stat_error says what failed.
[[nodiscard]] Target inspect(const std::string& path);

/// The disk below a target, from sysfs; empty strings where not known.
struct DeviceInfo {
  std::string name, model, firmware, serial, scheduler;
};
/// Asks sysfs anew, which is slow for thousands of files: ask once per disk.
[[nodiscard]] DeviceInfo device_info(const Target& target);

/// Whether both are one and the same file or device, or nothing at all. Sizes don't matter: a file
/// that has grown is still the same.
[[nodiscard]] bool same(const Target& one, const Target& other) noexcept;

/// Throws Error when the path of `checked` means something else by now. Where nothing stood, a file
/// may: engines make theirs.
void check_still(const Target& checked);

/// Opens an existing target. Never creates. Throws Error with a message that tells ENOENT, EACCES,
/// EISDIR, ENOTDIR, EINVAL (no O_DIRECT: names the file system) and the rest apart, and what is not
/// the same file or device any more.
/// Returns the descriptor (close-on-exec), which the caller owns.
[[nodiscard]] int open_target(const Target& target, Access access, bool direct);

/// Tells the kernel in which order an open file or block device will be accessed: how much it reads
/// ahead (posix_fadvise(2)). Of other kinds, and without an order, nothing is told. Returns 0 or
/// -errno.
int advise(int fd, Kind kind, Advice order) noexcept;

/// Drops cached pages of an open target: clean pages of a file that no process has mapped, the
/// buffer cache of a block device. Other kinds have none. Returns 0 or -errno.
int drop_cache(int fd, Kind kind) noexcept;

}  // namespace chronio::target

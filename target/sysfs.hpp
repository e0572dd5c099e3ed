// sysfs.hpp: what the kernel tells of block devices without opening one: partitions, holders,
// attributes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace chronio::target {

/// A device number (dev_t) and the kernel's name for it ("nvme0n1p2").
struct BlockDevice {
  std::uint64_t number = 0;
  std::string name;
  bool partition = false;
};

/// Reads a sysfs tree; tests give it one of their own. Nothing is kept: each question is asked
/// anew, some 40 system calls where links have to be resolved, so ask once per device.
class Sysfs {
 public:
  explicit Sysfs(std::filesystem::path root = "/sys") : root_(std::move(root)) {}

  /// Folder of a block device (a dev_t), links resolved; empty when sysfs doesn't know it.
  [[nodiscard]] std::filesystem::path block(std::uint64_t device) const;

  /// Folder of the disk that a device's folder belongs to: its parent for a partition, else itself.
  static std::filesystem::path disk(const std::filesystem::path& folder);

  /// The device itself first, then all that overlaps it: a disk's partitions, or a partition's
  /// disk, not its neighbours. Empty when sysfs doesn't know it.
  [[nodiscard]] std::vector<BlockDevice> overlapping(std::uint64_t device) const;

  /// Names of what holds `device` ("dm-0", "md1") according to its holders folder, of this device
  /// alone: a partition's holders are not its disk's.
  [[nodiscard]] std::vector<std::string> holders(std::uint64_t device) const;

  /// Loop devices in use, with what they stand on. The kernel lists no holder for these.
  struct Loop {
    std::string name;
    std::string backing_file;
  };
  /// In the order of their names.
  [[nodiscard]] std::vector<Loop> loops() const;

  /// The block device that an NVMe generic character device (/dev/ngXnY) shares its namespace with.
  /// Nothing for other character devices; number 0 when the namespace has no block device.
  [[nodiscard]] std::optional<BlockDevice> nvme_sibling(std::uint64_t character_device) const;

 private:
  std::filesystem::path root_;
};

/// First line of an attribute without surrounding blanks; empty when it can't be read.
[[nodiscard]] std::string attribute(const std::filesystem::path& file);

/// An attribute that holds a decimal number and nothing else; nothing when it can't be read.
[[nodiscard]] std::optional<std::uint64_t> number_attribute(const std::filesystem::path& file);

/// "259:3" to a device number (dev_t); nothing for any other text.
[[nodiscard]] std::optional<std::uint64_t> read_device_number(std::string_view text);

}  // namespace chronio::target

// device_info.cpp: names the disk below a target: model, firmware, serial, scheduler.
#include "target/device_info.hpp"

#include "target/mounts.hpp"

#include <array>
#include <string_view>
#include <sys/stat.h>
#include <sys/sysmacros.h>

namespace chronio::target {
namespace {

namespace fs = std::filesystem;

/// The first of some attributes that says anything. NVMe and SCSI, MMC, virtio spell them
/// differently.
template <std::size_t N>
std::string first_of(const fs::path& disk, const std::array<const char*, N>& names) {
  for (const char* name : names)
    if (std::string text = attribute(disk / name); !text.empty()) return text;
  return {};
}

/// Name of what a link leads to, as the kernel writes it; empty for no link.
std::string link_name(const fs::path& link) {
  std::error_code error;
  return fs::read_symlink(link, error).filename().string();
}

std::string model_of(const fs::path& disk) {
  // A loop device has no model, but a file that says more.
  if (const std::string file = attribute(disk / "loop" / "backing_file"); !file.empty())
    return "loop device on " + file;
  const std::string model =
      first_of(disk, std::to_array<const char*>({"device/model", "device/name"}));
  const std::string vendor = attribute(disk / "device" / "vendor");
  // SCSI splits the name in two; where vendor is a PCI number ("0x1af4") it is no part of it.
  if (!model.empty() && !vendor.empty() && !vendor.starts_with("0x")) return vendor + " " + model;
  // virtio has no model either: its driver's name is better than nothing.
  return model.empty() ? link_name(disk / "device" / "driver") : model;
}

/// The scheduler in brackets: "[none] mq-deadline" means none.
std::string chosen(const std::string& choices) {
  const auto open = choices.find('[');
  const auto close = choices.find(']', open);
  if (open == std::string::npos || close == std::string::npos) return choices;
  return choices.substr(open + 1, close - open - 1);
}

/// The only device that a device-mapper or md device stands on; empty when there are none or
/// several: one model can't stand for a set of disks.
fs::path only_slave(const fs::path& disk) {
  std::error_code error;
  fs::path only;
  for (const auto& slave : fs::directory_iterator(disk / "slaves", error)) {
    if (!only.empty()) return {};
    only = slave.path();
  }
  return only.empty() ? only : fs::canonical(only, error);
}

}  // namespace

DeviceInfo device_info(const Sysfs& sysfs, std::uint64_t device) {
  fs::path folder = sysfs.block(device);
  if (folder.empty()) return {};
  folder = Sysfs::disk(folder);
  DeviceInfo info;
  info.name = folder.filename().string();
  // More than anybody stacks; it ends the walk whatever sysfs says.
  constexpr int kDeepestStack = 8;
  for (int level = 0; level < kDeepestStack; ++level) {
    const fs::path below = only_slave(folder);
    if (below.empty()) break;
    folder = Sysfs::disk(below);
  }
  info.model = model_of(folder);
  info.firmware = first_of(
      folder, std::to_array<const char*>({"device/firmware_rev", "device/rev", "device/fwrev"}));
  info.serial = first_of(folder, std::to_array<const char*>({"device/serial", "serial"}));
  info.scheduler = chosen(attribute(folder / "queue" / "scheduler"));
  return info;
}

DeviceInfo device_info(const Target& target) {
  const Sysfs sysfs;
  if (target.kind == Kind::character) {
    const auto sibling = sysfs.nvme_sibling(target.device);
    return sibling ? device_info(sysfs, sibling->number) : DeviceInfo{};
  }
  // Of a file the device of its file system, which is a disk's number where it is not anonymous.
  if (target.kind == Kind::block || major(target.device) != 0)
    return device_info(sysfs, target.device);
  // btrfs and others number their mounts anonymously; the mount table names the device.
  const auto mount = mount_of(read_mounts(), target.path);
  struct stat source = {};
  if (!mount || ::stat(mount->source.c_str(), &source) != 0 || !S_ISBLK(source.st_mode)) return {};
  return device_info(sysfs, source.st_rdev);
}

}  // namespace chronio::target

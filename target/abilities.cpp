// abilities.cpp: reads the queue attributes of the disk below a target.
#include "target/abilities.hpp"

#include <fmt/core.h>

namespace chronio::target {
namespace {

/// Folder of the disk below a target; empty where sysfs knows none.
std::filesystem::path disk_of(const Target& target, const Sysfs& sysfs) {
  std::uint64_t device = target.device;
  if (target.kind == Kind::character) {
    // A generic device has no queue folder of its own: that of its block device stands for both.
    const auto sibling = sysfs.nvme_sibling(device);
    if (!sibling) return {};
    device = sibling->number;
  }
  const std::filesystem::path folder = sysfs.block(device);
  return folder.empty() ? folder : Sysfs::disk(folder);
}

}  // namespace

std::optional<std::string> why_not_trimmable(const Target& target, const Sysfs& sysfs) {
  if (target.kind == Kind::file || target.kind == Kind::absent) return std::nullopt;
  const std::filesystem::path disk = disk_of(target, sysfs);
  if (disk.empty() && target.kind == Kind::character)
    return fmt::format("{}: can't be trimmed: it is no block device and no NVMe namespace",
                       target.path);
  const auto most = number_attribute(disk / "queue" / "discard_max_bytes");
  // An attribute that is not there refuses nothing: the first trim will tell.
  if (!most || *most != 0) return std::nullopt;
  return fmt::format("{}: can't be trimmed: the device knows no discard ({} is 0)", target.path,
                     (disk / "queue" / "discard_max_bytes").string());
}

std::optional<std::string> why_not_pollable(const Target& target, const Sysfs& sysfs) {
  const std::filesystem::path disk = disk_of(target, sysfs);
  if (disk.empty())
    return fmt::format("{}: there is no disk below it ({}) whose completions could be polled for",
                       target.path,
                       target.file_system.empty() ? "no block device" : target.file_system);
  const auto polls = number_attribute(disk / "queue" / "io_poll");
  // Unlike a trim, polling without queues may not fail but measure interrupts, so what is not
  // known is refused here.
  if (polls && *polls != 0) return std::nullopt;
  return fmt::format(
      "{}: its device {} has no poll queues ({} is 0); NVMe makes some with the module parameter "
      "nvme.poll_queues=N",
      target.path, disk.filename().string(), (disk / "queue" / "io_poll").string());
}

std::string generic_sibling(const Target& target, const Sysfs& sysfs) {
  if (target.kind != Kind::block) return {};
  const std::string name = sysfs.block(target.device).filename().string();
  // Of a partition this makes a name that never exists.
  if (!name.starts_with("nvme")) return {};
  std::string node = "/dev/ng" + name.substr(4);
  std::error_code error;
  return std::filesystem::exists(node, error) ? node : std::string();
}

}  // namespace chronio::target

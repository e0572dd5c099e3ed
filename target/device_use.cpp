// device_use.cpp: gathers who uses a block device and what stands on it.
#include "target/device_use.hpp"

#include "target/messages.hpp"
#include "target/signature.hpp"
#include "target/target.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <iterator>
#include <sys/stat.h>

namespace chronio::target {
namespace {

void append(std::vector<Use>& uses, std::vector<Use> more) {
  std::move(more.begin(), more.end(), std::back_inserter(uses));
}

/// A swap file counts as a use of nothing here: its device is mounted, and so refused anyhow.
std::vector<Use> uses_by_swaps(const std::vector<std::string>& swaps) {
  std::vector<Use> uses;
  for (const std::string& path : swaps)
    if (const std::uint64_t device = block_number(path); device != 0)
      uses.push_back({device, "in use as swap"});
  return uses;
}

/// Of all overlapping devices: a volume on a partition uses the disk.
std::vector<Use> uses_by_holders(const Sysfs& sysfs, const std::vector<BlockDevice>& devices) {
  std::vector<Use> uses;
  for (const BlockDevice& device : devices)
    for (const std::string& holder : sysfs.holders(device.number))
      uses.push_back({device.number, "held by " + holder});
  return uses;
}

/// Loop devices that stand on a block device: the kernel lists no holder for these.
std::vector<Use> uses_by_loops(const std::vector<Sysfs::Loop>& loops) {
  std::vector<Use> uses;
  for (const Sysfs::Loop& loop : loops)
    if (const std::uint64_t device = block_number(loop.backing_file); device != 0)
      uses.push_back({device, "held by " + loop.name});
  return uses;
}

/// Opens the node for reading and looks at its content; `fd` holds it then. The node must still be
/// the device that the tables were asked about.
void examine(DeviceFacts& facts, std::uint64_t device, const std::string& node, Fd& fd) {
  // Without O_CREAT, O_EXCL on a block device claims it (open(2)): EBUSY where a mount, a swap, a
  // device-mapper or md device or somebody's own O_EXCL has it, in whichever namespace. O_NONBLOCK:
  // a drive without a medium does not wait for one.
  fd = Fd::open(node, O_RDONLY | O_EXCL | O_NONBLOCK);
  if (!fd.ok()) {
    facts.exclusive_error = errno;
    return;
  }
  struct stat opened = {};
  if (::fstat(fd.get(), &opened) != 0 || !S_ISBLK(opened.st_mode) || opened.st_rdev != device) {
    facts.unreadable = node + " is another device";
    return;
  }
  try {
    // Behind the claim: nobody who respects it makes a file system after this look.
    facts.signature = signature_on(fd.get());
  } catch (const Error& error) {
    facts.unreadable = error.what();
  }
}

std::optional<std::string> use_objection(const DeviceFacts& facts) {
  for (const BlockDevice& device : facts.overlapping) {
    const auto use = std::find_if(facts.uses.begin(), facts.uses.end(),
                                  [&](const Use& u) { return u.device == device.number; });
    if (use == facts.uses.end()) continue;
    const bool itself = device.number == facts.overlapping.front().number;
    return itself ? "it is " + use->by
                  : fmt::format("{}, which it overlaps, is {}", device.name, use->by);
  }
  return std::nullopt;
}

/// A disk's table may be gone, or never have been on it (addpart(8)), while the kernel still knows
/// the partitions. What stands in these is nothing that libblkid sees from the disk's start.
std::optional<std::string> partition_objection(const DeviceFacts& facts) {
  if (facts.overlapping.front().partition) return std::nullopt;
  const auto part = std::find_if(facts.overlapping.begin(), facts.overlapping.end(),
                                 [](const BlockDevice& device) { return device.partition; });
  if (part == facts.overlapping.end()) return std::nullopt;
  return fmt::format("{} is a partition of it to the kernel, though no partition table was found",
                     part->name);
}

}  // namespace

std::uint64_t block_number(const std::string& path) {
  struct stat found = {};
  const bool is_block = ::stat(path.c_str(), &found) == 0 && S_ISBLK(found.st_mode);
  return is_block ? found.st_rdev : 0;
}

DeviceFacts look_at(const Sysfs& sysfs, std::uint64_t device, const std::string& node) {
  Fd closed_at_once;
  return look_at(sysfs, device, node, closed_at_once);
}

DeviceFacts look_at(const Sysfs& sysfs, std::uint64_t device, const std::string& node, Fd& held) {
  DeviceFacts facts;
  facts.overlapping = sysfs.overlapping(device);
  // All of the machine's, unsorted: objection() picks those of this device.
  facts.uses = uses_by_mounts(read_mounts(), block_number);
  append(facts.uses, uses_by_swaps(read_swaps()));
  append(facts.uses, uses_by_holders(sysfs, facts.overlapping));
  append(facts.uses, uses_by_loops(sysfs.loops()));
  examine(facts, device, node, held);
  return facts;
}

std::optional<std::string> objection(const DeviceFacts& facts) {
  // In the order of certainty: who uses it is told by name, EBUSY names nobody, and a signature may
  // be a leftover.
  if (facts.overlapping.empty()) return "sysfs does not know it, so nobody can tell who uses it";
  if (auto use = use_objection(facts)) return use;
  if (facts.exclusive_error == EBUSY)
    return "another program or a mount has it in use (O_EXCL: busy)";
  if (facts.exclusive_error != 0)
    return "it can't be opened to see what is on it: " + errno_text(facts.exclusive_error);
  if (!facts.unreadable.empty()) return facts.unreadable;
  if (!facts.signature.empty()) return "it holds " + facts.signature;
  return partition_objection(facts);
}

}  // namespace chronio::target

// guard.cpp: the order in which the guard asks its questions.
#include "target/guard.hpp"

#include "target/character.hpp"
#include "target/device_folder.hpp"
#include "target/device_use.hpp"
#include "target/messages.hpp"
#include "target/sysfs.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <sys/stat.h>

namespace chronio::target {
namespace {

/// Whether `path` is the block device `device` or the NVMe generic one beside it. By number: a
/// device has many names (/dev/disk/by-id), and any of them may be the one that was allowed.
bool leads_to(const Sysfs& sysfs, const std::string& path, std::uint64_t device) {
  struct stat found = {};
  if (::stat(path.c_str(), &found) != 0) return false;
  if (S_ISBLK(found.st_mode)) return found.st_rdev == device;
  if (!S_ISCHR(found.st_mode)) return false;
  const auto sibling = sysfs.nvme_sibling(found.st_rdev);
  return sibling && sibling->number != 0 && sibling->number == device;
}

/// Exactly this device: that a whole disk may go says nothing of one that overlaps it.
bool may_destroy(const Sysfs& sysfs, const Policy& policy, std::uint64_t device) {
  return std::any_of(policy.allow_destroy.begin(), policy.allow_destroy.end(),
                     [&](const std::string& path) { return leads_to(sysfs, path, device); });
}

std::string refusal(const std::string& path, const std::string& reason) {
  return fmt::format("{}: not opened for writing: {}; --allow-destroy={} lets its data go", path,
                     reason, path);
}

/// A block device and a node by which it can be looked at.
struct Guarded {
  BlockDevice device;
  std::string node;
};

/// The block device that is written with a target: itself, or that beside /dev/ngXnY.
std::optional<Guarded> guarded(const Sysfs& sysfs, const Target& target) {
  if (target.kind == Kind::block) return Guarded{{target.device, {}, false}, target.path};
  if (target.kind != Kind::character) return std::nullopt;
  const auto sibling = sysfs.nvme_sibling(target.device);
  // Without a block device there is nothing to look at; refuse_character() has its answer for that.
  if (!sibling || sibling->number == 0) return std::nullopt;
  return Guarded{*sibling, "/dev/" + sibling->name};
}

std::optional<std::string> refuse_device(const Sysfs& sysfs, const Target& target,
                                         const Policy& policy) {
  const auto found = guarded(sysfs, target);
  // What was named is not even looked at: its user knows that it is in use or full.
  if (!found || may_destroy(sysfs, policy, found->device.number)) return std::nullopt;
  if (const auto reason = objection(look_at(sysfs, found->device.number, found->node)))
    return refusal(target.path, *reason);
  return std::nullopt;
}

std::optional<std::string> refuse_character(const Target& target, const Policy& policy) {
  if (is_memory_device(target.device)) return std::nullopt;
  const Sysfs sysfs;
  const auto sibling = sysfs.nvme_sibling(target.device);
  if (!sibling) return character_refusal(target.path);
  // Some namespaces have no block device (a format that the block layer does not take). Not even
  // --allow-destroy lifts this: it is held against a block device.
  if (sibling->number == 0)
    return fmt::format(
        "{}: not opened for writing: there is no block device {} beside it, so nobody can "
        "tell what is on it",
        target.path, sibling->name);
  return refuse_device(sysfs, target, policy);
}

std::optional<std::string> refuse_absent(const Target& target) {
  if (target.stat_error != 0)
    return open_failure(target, Access::write_only, false, target.stat_error);
  return why_not_creatable(target.path);
}

}  // namespace

std::optional<std::string> why_not_writable(const Target& target, const Policy& policy) {
  if (policy.readonly)
    return fmt::format("{}: not opened for writing: --readonly is set", target.path);
  switch (target.kind) {
    // A job overwrites the files that it names, as fio does: whose they are is for the file
    // system's permissions to say.
    case Kind::file: return std::nullopt;
    case Kind::absent: return refuse_absent(target);
    case Kind::directory: return open_failure(target, Access::write_only, false, EISDIR);
    case Kind::other:
      return fmt::format("{}: is a FIFO or socket; only files and devices can be written",
                         target.path);
    case Kind::character: return refuse_character(target, policy);
    case Kind::block: return refuse_device(Sysfs(), target, policy);
  }
  return fmt::format("{}: is of no known kind", target.path);
}

void Claims::add(const Target& target, const Policy& policy, bool kept) {
  const Sysfs sysfs;
  const auto found = guarded(sysfs, target);
  // Asked once: a second O_EXCL of our own would find our first one busy.
  if (!found || held_.contains(found->device.number)) return;
  if (may_destroy(sysfs, policy, found->device.number)) return;
  Fd held;
  const DeviceFacts facts = look_at(sysfs, found->device.number, found->node, held);
  if (const auto reason = objection(facts)) throw Error(0, refusal(target.path, *reason));
  // Also when it is let go, so that it isn't asked about again.
  held_.emplace(found->device.number, kept ? std::move(held) : Fd());
}

std::optional<std::string> Claims::why_lost(const Target& target) const {
  const Sysfs sysfs;
  const auto found = guarded(sysfs, target);
  if (!found) return std::nullopt;
  const auto held = held_.find(found->device.number);
  if (held == held_.end() || held->second.ok()) return std::nullopt;
  const auto reason = objection(look_at(sysfs, found->device.number, found->node));
  return reason ? std::optional(refusal(target.path, *reason)) : std::nullopt;
}

}  // namespace chronio::target

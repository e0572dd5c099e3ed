// signature.cpp: asks libblkid for superblocks and partition tables.
#include "target/signature.hpp"

#include "jobs/diagnostic.hpp"
#include "target/messages.hpp"
#include "target/target.hpp"

#include <blkid/blkid.h>
#include <fmt/core.h>
#include <memory>

namespace chronio::target {
namespace {

struct FreeProbe {
  void operator()(blkid_probe probe) const noexcept { ::blkid_free_probe(probe); }
};
using Probe = std::unique_ptr<std::remove_pointer_t<blkid_probe>, FreeProbe>;

/// A value that the last probing found; a label is anybody's text, so it is made printable.
std::string value(const Probe& probe, const char* name) {
  const char* text = nullptr;
  if (::blkid_probe_lookup_value(probe.get(), name, &text, nullptr) != 0) return {};
  return jobs::printable(text);
}

std::string superblock(const Probe& probe) {
  std::string text = value(probe, "TYPE");
  if (text.empty()) return {};
  const std::string label = value(probe, "LABEL");
  const std::string uuid = value(probe, "UUID");
  std::string detail = label.empty() ? "" : fmt::format("label \"{}\"", label);
  if (!uuid.empty()) detail += (detail.empty() ? "UUID " : ", UUID ") + uuid;
  return detail.empty() ? text : fmt::format("{} ({})", text, detail);
}

std::string partition_table(const Probe& probe) {
  const std::string type = value(probe, "PTTYPE");
  if (type.empty()) return {};
  const std::string uuid = value(probe, "PTUUID");
  return fmt::format("a partition table ({}{})", type, uuid.empty() ? "" : ", UUID " + uuid);
}

/// Null when libblkid can't even begin.
Probe prepare(int fd) {
  Probe probe(::blkid_new_probe());
  // From 0 to the end (0): the whole device.
  if (!probe || ::blkid_probe_set_device(probe.get(), fd, 0, 0) != 0) return {};
  // Better one refusal too many: damaged superblocks and a GPT without its protective MBR count.
  ::blkid_probe_enable_superblocks(probe.get(), 1);
  ::blkid_probe_set_superblocks_flags(probe.get(), BLKID_SUBLKS_TYPE | BLKID_SUBLKS_LABEL |
                                                       BLKID_SUBLKS_UUID | BLKID_SUBLKS_BADCSUM);
  ::blkid_probe_enable_partitions(probe.get(), 1);
  ::blkid_probe_set_partitions_flags(probe.get(), BLKID_PARTS_FORCE_GPT);
  return probe;
}

}  // namespace

std::string signature_on(int fd) {
  constexpr int kFound = 0;
  constexpr int kNothing = 1;
  constexpr int kSeveral = -2;  // not kept apart by libblkid, but certainly data
  const Probe probe = prepare(fd);
  if (!probe) throw Error(EIO, "libblkid can't examine it");
  // Else an old one would be told where libblkid fails without a system call.
  errno = 0;
  const int outcome = ::blkid_do_safeprobe(probe.get());
  if (outcome == kNothing) return {};
  if (outcome == kSeveral) return "several signatures at once";
  if (outcome != kFound)
    throw Error(errno, fmt::format("it can't be read: {}", errno_text(errno != 0 ? errno : EIO)));
  const std::string data = superblock(probe);
  // Both may be there: a file system written over a disk leaves the backup of a GPT at its end.
  const std::string table = partition_table(probe);
  if (!data.empty() && !table.empty()) return data + " and " + table;
  // Found, but neither has a name that is asked for here: still data.
  if (data.empty() && table.empty()) return "data of a kind that libblkid doesn't name";
  return data.empty() ? table : data;
}

}  // namespace chronio::target

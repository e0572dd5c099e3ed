// file_system.cpp: the table of numbers and names.
#include "target/file_system.hpp"

#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <sys/vfs.h>

namespace chronio::target {
namespace {

struct Known {
  std::uint32_t magic;
  const char* name;
};

// What jobs are likely to run on, the most usual first: it is searched once for each file.
constexpr auto kKnown = std::to_array<Known>({
    {0x0000EF53, "ext4"},      {0x58465342, "xfs"},      {0x9123683E, "btrfs"},
    {0xF2F52010, "f2fs"},      {0x2FC12FC1, "zfs"},      {0xCA451A4E, "bcachefs"},
    {0x01021994, "tmpfs"},     {0x858458F6, "ramfs"},    {0x794C7630, "overlay"},
    {0x00006969, "nfs"},       {0xFE534D42, "smb2"},     {0xFF534D42, "cifs"},
    {0x65735546, "fuse"},      {0x01021997, "9p"},       {0x00C36400, "ceph"},
    {0x0BD00BD0, "lustre"},    {0x47504653, "gpfs"},     {0x19830326, "beegfs"},
    {0x01161970, "gfs2"},      {0x7461636F, "ocfs2"},    {0x00004D44, "vfat"},
    {0x2011BAB0, "exfat"},     {0x7366746E, "ntfs3"},    {0x5346544E, "ntfs"},
    {0x3153464A, "jfs"},       {0x52654973, "reiserfs"}, {0x00003434, "nilfs2"},
    {0x5A4F4653, "zonefs"},    {0x73717368, "squashfs"}, {0xE0F5E1E2, "erofs"},
    {0x00009660, "iso9660"},   {0x15013346, "udf"},      {0x0000F15F, "ecryptfs"},
    {0x958458F6, "hugetlbfs"}, {0x64646178, "dax"},      {0x00009FA0, "proc"},
    {0x62656572, "sysfs"},     {0x00001CD1, "devpts"},   {0x00011954, "ufs"},
});

}  // namespace

std::string file_system_name(std::uint64_t magic) {
  const auto* known =
      std::find_if(kKnown.begin(), kKnown.end(), [&](const Known& k) { return k.magic == magic; });
  return known != kKnown.end() ? known->name : fmt::format("{:#x}", magic);
}

std::string file_system_of(const std::string& path) {
  struct statfs found = {};
  if (::statfs(path.c_str(), &found) != 0) return {};
  // f_type is signed: numbers above 0x7fffffff come back sign-extended on some architectures.
  return file_system_name(static_cast<std::uint32_t>(found.f_type));
}

}  // namespace chronio::target

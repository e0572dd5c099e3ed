// target.cpp: looks at a path: what stands there, its size, and the alignment that direct I/O
// needs.
#include "target/target.hpp"

#include "target/fd.hpp"
#include "target/file_system.hpp"
#include "target/paths.hpp"
#include "target/sysfs.hpp"

#include <linux/fs.h>
#include <optional>
#include <sys/ioctl.h>
#include <sys/stat.h>

namespace chronio::target {
namespace {

Kind kind_of(mode_t mode) noexcept {
  switch (mode & S_IFMT) {
    case S_IFREG: return Kind::file;
    case S_IFDIR: return Kind::directory;
    case S_IFBLK: return Kind::block;
    case S_IFCHR: return Kind::character;
    default: return Kind::other;
  }
}

/// Smallest unit of the disk below, in bytes; a partition has that of its disk.
std::optional<std::uint32_t> logical_block_of(std::uint64_t device) {
  const auto folder = Sysfs().block(device);
  if (folder.empty()) return std::nullopt;
  const auto bytes = number_attribute(Sysfs::disk(folder) / "queue" / "logical_block_size");
  if (!bytes) return std::nullopt;
  return static_cast<std::uint32_t>(*bytes);
}

/// What the file system itself says (Linux 6.1 and later); nothing when it doesn't.
std::optional<std::uint32_t> direct_alignment([[maybe_unused]] const std::string& path) {
#ifdef STATX_DIOALIGN
  struct statx found = {};
  if (::statx(AT_FDCWD, path.c_str(), 0, STATX_DIOALIGN, &found) == 0 &&
      (found.stx_mask & STATX_DIOALIGN) != 0 && found.stx_dio_offset_align != 0)
    return found.stx_dio_offset_align;
#endif
  return std::nullopt;
}

/// Size and logical block. sysfs first: it tells without opening the device, which another may
/// hold.
void ask_block_device(Target& target) {
  const auto folder = Sysfs().block(target.device);
  const auto sectors =
      folder.empty() ? std::nullopt : number_attribute(folder / "size");  // of 512 bytes, always
  const auto block = logical_block_of(target.device);
  if (sectors && block) {
    target.bytes = *sectors * 512;
    target.logical_block = *block;
    return;
  }
  // Where sysfs is not mounted, as in some containers. Size and block stay as they are when this
  // fails, too: unknown.
  const Fd fd = Fd::open(target.path, O_RDONLY | O_NONBLOCK);
  int bytes = 0;
  if (fd.ok() && ::ioctl(fd.get(), BLKGETSIZE64, &target.bytes) == 0 &&
      ::ioctl(fd.get(), BLKSSZGET, &bytes) == 0 && bytes > 0)
    target.logical_block = static_cast<std::uint32_t>(bytes);
}

/// Of a file that is there, or of the folder where one would come to stand.
void ask_file_system(Target& target) {
  const bool absent = target.kind == Kind::absent;
  const std::string on = absent ? folder_of(target.path) : target.path;
  struct stat folder = {};
  // The folder's device: the file will stand on it.
  if (absent && ::stat(on.c_str(), &folder) == 0) target.device = folder.st_dev;
  target.file_system = file_system_of(on);
  // The device is asked only when the file can't tell: sysfs takes 40 system calls for it.
  auto block = absent ? std::nullopt : direct_alignment(target.path);
  if (!block) block = logical_block_of(target.device);
  target.logical_block = block.value_or(target.logical_block);
}

}  // namespace

Target inspect(const std::string& path) {
  Target target;
  target.path = path;
  if (path.find('\0') != std::string::npos) {  // stat(2) would see the part before it
    target.stat_error = EINVAL;
    return target;
  }
  struct stat found = {};
  if (::stat(path.c_str(), &found) != 0) {
    // ENOENT is an answer: nothing is there. Anything else leaves that open.
    if (errno != ENOENT) target.stat_error = errno;
    if (target.stat_error == 0) ask_file_system(target);
    return target;
  }
  target.kind = kind_of(found.st_mode);
  if (target.kind == Kind::block || target.kind == Kind::character) {
    target.device = found.st_rdev;
    if (target.kind == Kind::block) ask_block_device(target);
    return target;
  }
  target.device = found.st_dev;
  target.inode = found.st_ino;
  if (target.kind == Kind::file) target.bytes = static_cast<std::uint64_t>(found.st_size);
  ask_file_system(target);
  return target;
}

}  // namespace chronio::target

// open.cpp: opens a target that stands, and drops what the kernel caches of it.
#include "target/character.hpp"
#include "target/fd.hpp"
#include "target/messages.hpp"
#include "target/target.hpp"

#include <fmt/core.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

namespace chronio::target {
namespace {

int mode_of(Access access) noexcept {
  switch (access) {
    case Access::write_only: return O_WRONLY;
    case Access::read_write: return O_RDWR;
    case Access::read_only: break;
  }
  return O_RDONLY;
}

[[noreturn]] void refuse(const Target& target, Access access, bool direct, int error) {
  throw Error(error, open_failure(target, access, direct, error));
}

/// Kinds that open(2) would take, or wait for, but no I/O should go to: a FIFO waits for its other
/// end, a character device may do anything.
void check_kind(const Target& target, Access access, bool direct) {
  switch (target.kind) {
    case Kind::absent:
      refuse(target, access, direct, target.stat_error != 0 ? target.stat_error : ENOENT);
    case Kind::directory: refuse(target, access, direct, EISDIR);
    case Kind::other:
      throw Error(0, fmt::format("{}: is a FIFO or socket; only files and devices can be measured",
                                 target.path));
    case Kind::character:
      if (is_usable_character_device(target.device)) return;
      throw Error(0, character_refusal(target.path));
    case Kind::file:
    case Kind::block: return;
  }
}

/// Between looking and opening, a path may come to mean something that nobody checked: a link was
/// turned, or a device came back under another's name.
bool is_still(const Target& target, int fd) noexcept {
  struct stat now = {};
  if (::fstat(fd, &now) != 0) return false;
  switch (target.kind) {
    case Kind::file:
      // Device and inode, not size or times: what the layout wrote is still the same file.
      return S_ISREG(now.st_mode) && now.st_dev == target.device && now.st_ino == target.inode;
    case Kind::block: return S_ISBLK(now.st_mode) && now.st_rdev == target.device;
    default: return S_ISCHR(now.st_mode) && now.st_rdev == target.device;
  }
}

[[noreturn]] void refuse_changed(const std::string& path) {
  throw Error(
      0, fmt::format("{}: is no longer what was checked before the run; it was not touched", path));
}

}  // namespace

bool same(const Target& one, const Target& other) noexcept {
  return one.kind == other.kind && one.stat_error == other.stat_error &&
         (one.kind == Kind::absent || (one.device == other.device && one.inode == other.inode));
}

void check_still(const Target& checked) {
  const Target now = inspect(checked.path);
  // Engines that make their files do so between two looks.
  const bool was_made = checked.kind == Kind::absent && now.kind == Kind::file;
  if (!was_made && !same(checked, now)) refuse_changed(checked.path);
}

int open_target(const Target& target, Access access, bool direct) {
  check_kind(target, access, direct);
  // Without O_CREAT or O_TRUNC: the file may be another one by now, and must not be touched before
  // it was looked at. O_NOCTTY: should it be a terminal, it stays nobody's.
  Fd fd = Fd::open(target.path, mode_of(access) | O_NOCTTY | (direct ? O_DIRECT : 0));
  if (!fd.ok()) refuse(target, access, direct, errno);
  if (!is_still(target, fd.get())) refuse_changed(target.path);
  return fd.release();
}

int advise(int fd, Kind kind, Advice order) noexcept {
  if (order == Advice::none || (kind != Kind::file && kind != Kind::block)) return 0;
  const int advice = order == Advice::random ? POSIX_FADV_RANDOM : POSIX_FADV_SEQUENTIAL;
  // Returns an errno instead of setting it (posix_fadvise(2)). Length 0: to the end, wherever that
  // will be.
  return -::posix_fadvise(fd, 0, 0, advice);
}

int drop_cache(int fd, Kind kind) noexcept {
  if (kind != Kind::file && kind != Kind::block) return 0;
  // BLKFLSBUF also drops pages that others read; without the right to it, fadvise drops what it
  // may.
  if (kind == Kind::block && ::ioctl(fd, BLKFLSBUF, 0) == 0) return 0;
  return -::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

}  // namespace chronio::target

// growing_file.cpp: limits asked before the first byte, and the way back.
#include "target/growing_file.hpp"

#include "target/device_folder.hpp"
#include "target/messages.hpp"
#include "target/paths.hpp"

#include <fmt/core.h>
#include <limits>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace chronio::target {
namespace {

Fd create(const Target& seen) {
  // stat(2) could not say that nothing is there, so nothing may be made.
  if (seen.stat_error != 0)
    throw Error(seen.stat_error, create_failure(seen.path, seen.stat_error));
  if (const auto reason = why_not_creatable(seen.path)) throw Error(0, *reason);
  // O_EXCL: also refuses a link that leads nowhere, which open(2) would else follow and create.
  Fd fd = Fd::open(seen.path, O_WRONLY | O_CREAT | O_EXCL, 0644);
  if (fd.ok()) return fd;
  if (errno == EEXIST)
    throw Error(EEXIST, fmt::format("{}: nothing was there, and now something is that nobody "
                                    "checked, or it is a link that leads nowhere",
                                    seen.path));
  throw Error(errno, create_failure(seen.path, errno));
}

Fd open_seen(const Target& seen) {
  if (seen.kind == Kind::absent) return create(seen);
  if (seen.kind != Kind::file)
    throw Error(0, fmt::format("{}: is no regular file, so it can't be laid out", seen.path));
  // Holds inode and device against what was seen.
  return Fd(open_target(seen, Access::write_only, false));
}

void check_limit(const std::string& path, std::uint64_t bytes) {
  rlimit limit = {};
  const bool limited = ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  // Beyond this limit write(2) raises SIGXFSZ, which would end the process.
  if (limited && bytes > limit.rlim_cur)
    throw Error(EFBIG, fmt::format("{}: needs {} bytes, but `ulimit -f` allows {}", path, bytes,
                                   limit.rlim_cur));
  if (bytes > static_cast<std::uint64_t>(std::numeric_limits<off_t>::max()))
    throw Error(EFBIG, fmt::format("{}: {} bytes are more than any file can have", path, bytes));
}

void check_space(const std::string& path, int fd, std::uint64_t needed) {
  struct statvfs space = {};
  // A tmpfs without a limit and some network file systems answer 0 blocks: nothing is known then.
  if (::fstatvfs(fd, &space) != 0 || space.f_blocks == 0) return;
  // What is left for this user: f_bavail leaves out the part that is reserved for root.
  const std::uint64_t free = std::uint64_t{space.f_bavail} * space.f_frsize;
  if (needed > free)
    throw Error(ENOSPC, fmt::format("{}: needs {} more bytes, but {} has {} free", path, needed,
                                    folder_of(path), free));
}

}  // namespace

GrowingFile::GrowingFile(const Target& seen)
    : path_(seen.path), created_(seen.kind == Kind::absent), fd_(open_seen(seen)) {
  struct stat found = {};
  if (::fstat(fd_.get(), &found) != 0)
    throw Error(errno, fmt::format("{}: {}", path_, errno_text(errno)));
  old_bytes_ = static_cast<std::uint64_t>(found.st_size);
}

GrowingFile::~GrowingFile() {
  if (kept_) return;
  // Cut back, whatever failed: what was there before is untouched, since only the end was written.
  if (!created_)
    static_cast<void>(::ftruncate(fd_.get(), static_cast<off_t>(old_bytes_)) == 0);
  else if (is_still_ours())
    ::unlink(path_.c_str());
}

void GrowingFile::check_room(std::uint64_t bytes) const {
  check_limit(path_, bytes);
  check_space(path_, fd_.get(), bytes - old_bytes_);
}

/// Somebody may have put another file under this name meanwhile.
bool GrowingFile::is_still_ours() const noexcept {
  struct stat ours = {};
  struct stat named = {};
  return ::fstat(fd_.get(), &ours) == 0 && ::lstat(path_.c_str(), &named) == 0 &&
         ours.st_dev == named.st_dev && ours.st_ino == named.st_ino;
}

}  // namespace chronio::target

// messages.cpp: one sentence for each way in which opening, creating or filling can fail.
#include "target/messages.hpp"

#include "target/paths.hpp"

#include <fmt/core.h>
#include <system_error>

namespace chronio::target {
namespace {

/// What an open was for, as part of a sentence.
const char* purpose(Access access) noexcept {
  switch (access) {
    case Access::read_only: return "reading";
    case Access::write_only: return "writing";
    case Access::read_write: return "reading and writing";
  }
  return "use";
}

std::string on_file_system(const Target& target) {
  return target.file_system.empty() ? "" : fmt::format(" ({})", target.file_system);
}

/// What is wrong with the path itself, whoever asks; empty for any other errno. EMFILE is among
/// them: it is about the process, and no other question matters before it.
std::string path_failure(const std::string& path, int error) {
  switch (error) {
    case ENOTDIR: return fmt::format("{}: {} is not a directory", path, folder_of(path));
    case ELOOP: return fmt::format("{}: too many symbolic links, or they form a circle", path);
    case ENAMETOOLONG: return fmt::format("{}: the name is too long for the file system", path);
    case EMFILE:
    case ENFILE: return fmt::format("{}: too many open files; raise `ulimit -n`", path);
    default: return {};
  }
}

std::string invalid_open(const Target& target, bool direct) {
  if (!direct) return fmt::format("{}: {}", target.path, errno_text(EINVAL));
  return fmt::format(
      "{}: direct=1 is refused by its file system{}: it does not support O_DIRECT; use direct=0 or "
      "a "
      "file on another file system",
      target.path, on_file_system(target));
}

/// What somebody else did to the target; empty for any other errno.
std::string busy_or_read_only(const Target& target, int error) {
  switch (error) {
    case EROFS:
      return target.kind == Kind::block ? fmt::format("{}: the device is read-only", target.path)
                                        : fmt::format("{}: its file system{} is mounted read-only",
                                                      target.path, on_file_system(target));
    case EBUSY: return fmt::format("{}: in use by another program or a mount", target.path);
    case ETXTBSY: return fmt::format("{}: in use as swap or as a running program", target.path);
    default: return {};
  }
}

}  // namespace

// std::generic_category() is thread-safe, which strerror(3) need not be.
std::string errno_text(int error) { return std::generic_category().message(error); }

std::string open_failure(const Target& target, Access access, bool direct, int error) {
  const std::string& path = target.path;
  if (std::string text = path_failure(path, error); !text.empty()) return text;
  if (std::string text = busy_or_read_only(target, error); !text.empty()) return text;
  switch (error) {
    case ENOENT: return fmt::format("{}: does not exist", path);
    case EACCES:
    case EPERM: return fmt::format("{}: no permission to open it for {}", path, purpose(access));
    case EISDIR:
      return fmt::format("{}: is a directory; name a file in it, or say directory={}", path, path);
    case ENXIO:
    case ENODEV:
    case ENOMEDIUM: return fmt::format("{}: there is no device or medium behind it", path);
    // open(2) says EINVAL for O_DIRECT on a file system without it, and for little else.
    case EINVAL: return invalid_open(target, direct);
    default:
      return fmt::format("{}: can't be opened for {}: {}", path, purpose(access),
                         errno_text(error));
  }
}

std::string create_failure(const std::string& path, int error) {
  if (std::string text = path_failure(path, error); !text.empty()) return text;
  const std::string folder = folder_of(path);
  switch (error) {
    case ENOENT:
      return fmt::format("{}: can't be created: the directory {} does not exist", path, folder);
    case EEXIST:
      return fmt::format(
          "{}: can't be created: something, perhaps a symbolic link that leads nowhere, "
          "has this name",
          path);
    case EACCES:
    case EPERM:
      return fmt::format("{}: can't be created: no permission to write in the directory {}", path,
                         folder);
    case EROFS:
      return fmt::format("{}: can't be created: the file system of {} is read-only", path, folder);
    case ENOSPC:
      return fmt::format("{}: can't be created: no space or no inode left in {}", path, folder);
    case EDQUOT:
      return fmt::format("{}: can't be created: your quota in {} is used up", path, folder);
    default: return fmt::format("{}: can't be created: {}", path, errno_text(error));
  }
}

std::string fill_failure(const std::string& path, std::uint64_t bytes, std::uint64_t done,
                         int error) {
  const std::string where = fmt::format("{}: laying out {} bytes stopped at {}", path, bytes, done);
  switch (error) {
    case ENOSPC: return fmt::format("{}: no space left on the file system", where);
    case EDQUOT: return fmt::format("{}: your quota is used up", where);
    case EFBIG: return fmt::format("{}: larger than the file system or `ulimit -f` allows", where);
    case EROFS: return fmt::format("{}: the file system became read-only", where);
    default: return fmt::format("{}: {}", where, errno_text(error));
  }
}

}  // namespace chronio::target

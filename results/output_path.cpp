// output_path.cpp: where an output path leads, and whether a result may be put there.
#include "results/output_path.hpp"

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace chronio::results {
namespace {

constexpr int kMaxLinks = 40;  // as the kernel's own limit

/// N of /dev/fd/N and /proc/self/fd/N, where /dev/stdout leads too. Found before links are followed
/// any further: the link of a pipe leads to a name that no path is.
std::optional<int> own_descriptor(std::string_view path) {
  for (const std::string_view prefix : {"/proc/self/fd/", "/dev/fd/"}) {
    if (!path.starts_with(prefix)) continue;
    path.remove_prefix(prefix.size());
    int fd = -1;
    const auto [end, error] = std::from_chars(path.data(), path.data() + path.size(), fd);
    if (error == std::errc() && end == path.data() + path.size() && fd >= 0) return fd;
  }
  return std::nullopt;
}

/// Of "a": the working directory; of "/a": the root.
std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// A relative link counts from the folder that it stands in.
std::string read_link(const std::string& path) {
  std::string target(4096, '\0');
  const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
  if (length < 0) throw system_error(path, "can't read the link", errno);
  target.resize(static_cast<std::size_t>(length));
  return target.starts_with('/') ? target : folder_of(path) + '/' + target;
}

/// Absolute path of `path`, whose folder must be there; its last part is no link any more. Two
/// spellings of one place become equal.
std::string absolute(const std::string& path) {
  const std::string folder = folder_of(path);
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(folder.c_str(), nullptr),
                                                         &std::free);
  if (!real) throw system_error(path, "can't write into its folder", errno);
  return (std::strcmp(real.get(), "/") == 0 ? "" : std::string(real.get())) + '/' + name_of(path);
}

/// `path` with all symbolic links followed; the last part may be absent. By hand, for realpath(3)
/// fails when the last part is absent, which a result's mostly is.
Place follow(const std::string& path) {
  std::string at = path;
  for (int links = 0; links < kMaxLinks; ++links) {
    if (const auto fd = own_descriptor(at)) return {Place::Kind::descriptor, at, *fd};
    struct stat info = {};
    const bool there = ::lstat(at.c_str(), &info) == 0;
    if (!there && errno != ENOENT) throw system_error(path, "can't be looked at", errno);
    if (!there || !S_ISLNK(info.st_mode)) return {Place::Kind::file, absolute(at)};
    at = read_link(at);
  }
  throw system_error(path, "can't be followed", ELOOP);
}

/// What is refused can be put right by another name only.
OutputError refusal(const std::string& path, const std::string& why) {
  return OutputError{path + ": " + why + "; name another output file"};
}

void check_descriptor(const std::string& path, int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0) throw system_error(path, "can't be written", errno);
  if ((flags & O_ACCMODE) == O_RDONLY) throw refusal(path, "is open for reading only");
}

/// A file may be mounted on another, as containers do; rename(2) onto it fails with EBUSY, when the
/// run is over. False where the kernel does not tell.
bool is_mount_point(const std::string& path) {
#ifdef STATX_ATTR_MOUNT_ROOT
  struct statx info = {};
  return ::statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, 0, &info) == 0 &&
         (info.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
#else
  return false;
#endif
}

/// A file that is replaced is another one, so its owner has to be kept: only root can do that.
void check_old_file(const std::string& path, const std::string& resolved, const struct stat& info) {
  if (::access(resolved.c_str(), W_OK) != 0) throw system_error(path, "is write-protected", errno);
  if (::geteuid() != 0 && info.st_uid != ::geteuid())
    throw refusal(
        path, fmt::format("belongs to user {}, who could not be kept as its owner", info.st_uid));
  if (is_mount_point(resolved)) throw refusal(path, "is a mount point and can't be replaced");
}

void check_folder(const std::string& path, const std::string& resolved, bool there) {
  const std::string folder = folder_of(resolved);
  if (name_of(resolved).empty()) throw refusal(path, "names a folder");
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    throw system_error(path, "can't write into its folder", errno);
  // A mistyped device would become a file in memory, and its data would be gone with the next boot.
  const bool devices =
      (folder + '/').starts_with("/dev/") && !(folder + '/').starts_with("/dev/shm/");
  if (!there && devices) throw refusal(path, "is not there, and nothing is created under /dev");
}

/// What `info` says about `place`: its kind, or a refusal. Before the first I/O: a run of hours
/// must not end with a result that has no place.
Place::Kind kind_of(const std::string& path, const Place& place, const struct stat& info) {
  if (S_ISDIR(info.st_mode)) throw refusal(path, "is a directory");
  if (S_ISBLK(info.st_mode)) throw refusal(path, "is a block device, whose data would be lost");
  if (S_ISSOCK(info.st_mode)) return Place::Kind::socket;
  if (!S_ISREG(info.st_mode)) return Place::Kind::stream;
  check_old_file(path, place.path, info);
  return Place::Kind::file;
}

/// By inode, or two device files of one device: names say nothing, links are many.
bool same(const struct stat& a, const struct stat& b) {
  const bool devices = (S_ISCHR(a.st_mode) && S_ISCHR(b.st_mode));
  return (a.st_dev == b.st_dev && a.st_ino == b.st_ino) || (devices && a.st_rdev == b.st_rdev);
}

/// Both absent: one path. A target that can't be followed can't be written either.
bool same_absent(const Place& place, const std::string& target) {
  try {
    const Place other = follow(target);
    return other.kind == place.kind && other.path == place.path;
  } catch (const OutputError&) {
    return false;
  }
}

}  // namespace

OutputError system_error(const std::string& path, const char* what, int error) {
  return OutputError{fmt::format("{}: {}: {}", path, what, std::strerror(error))};
}

Place find_place(const std::string& path) {
  if (path.empty()) throw OutputError("the output file's name is empty");
  Place place = follow(path);
  if (place.kind == Place::Kind::descriptor) {
    check_descriptor(path, place.fd);
    return place;
  }
  struct stat info = {};
  const bool there = ::stat(place.path.c_str(), &info) == 0;
  if (!there && errno != ENOENT) throw system_error(path, "can't be looked at", errno);
  if (there) place.kind = kind_of(path, place, info);
  if (place.kind == Place::Kind::file) check_folder(path, place.path, there);
  return place;
}

void refuse_targets(const std::string& path, const Place& place,
                    std::span<const std::string> targets) {
  struct stat info = {};
  const bool descriptor = place.kind == Place::Kind::descriptor;
  const bool there =
      (descriptor ? ::fstat(place.fd, &info) : ::stat(place.path.c_str(), &info)) == 0;
  for (const std::string& target : targets) {
    struct stat other = {};
    const bool target_there = ::stat(target.c_str(), &other) == 0;
    const bool clash = there && target_there     ? same(info, other)
                       : !there && !target_there ? same_absent(place, target)
                                                 : false;
    if (clash) throw refusal(path, "is also " + target + ", which a job reads or writes");
  }
}

}  // namespace chronio::results

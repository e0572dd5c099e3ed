// device_folder.cpp: finds where an absent path would come to stand.
#include "target/device_folder.hpp"

#include "target/messages.hpp"
#include "target/paths.hpp"

#include <filesystem>
#include <fmt/core.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace chronio::target {
namespace {

namespace fs = std::filesystem;

/// The deepest folder above `path` that exists, links resolved; empty when none does. Links count
/// since one may lead into /dev from anywhere.
fs::path existing_folder(const fs::path& path) {
  std::error_code error;
  for (fs::path folder = folder_of(path);; folder = folder_of(folder)) {
    fs::path real = fs::canonical(folder, error);
    if (!error) return real;
    if (folder == folder.parent_path() || folder == ".") return {};
  }
}

/// The same devtmpfs may be mounted elsewhere too, so the file system counts, not only the name. A
/// machine whose /dev is part of its root file system has only the name.
bool is_device_folder(const fs::path& folder) {
  if (lies_in(folder.string(), "/dev/shm")) return false;
  if (lies_in(folder.string(), "/dev")) return true;
  struct stat here = {};
  struct stat dev = {};
  struct stat root = {};
  return ::stat(folder.c_str(), &here) == 0 && ::stat("/dev", &dev) == 0 &&
         ::stat("/", &root) == 0 && dev.st_dev != root.st_dev && here.st_dev == dev.st_dev;
}

}  // namespace

std::optional<std::string> why_not_creatable(const std::string& path) {
  std::error_code error;
  // open(2) would create what the link names, wherever that is.
  const fs::path link = fs::read_symlink(path, error);
  if (!error)
    return fmt::format("{}: does not exist: it is a symbolic link to {}, which leads nowhere", path,
                       link.string());
  if (is_device_folder(existing_folder(path)))
    return fmt::format("{}: does not exist, and nothing is ever created under /dev", path);
  // The slash makes the kernel say ENOTDIR where the folder is a file.
  if (::eaccess((folder_of(path) + "/").c_str(), W_OK | X_OK) != 0)
    return create_failure(path, errno);
  return std::nullopt;
}

}  // namespace chronio::target

// paths.cpp: the last name of a path, and what is below what.
#include "target/paths.hpp"

namespace chronio::target {

std::string folder_of(const std::string& path) {
  const auto slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  const auto end = path.find_last_not_of('/', slash);
  return end == std::string::npos ? "/" : path.substr(0, end + 1);
}

bool lies_in(std::string_view path, std::string_view folder) noexcept {
  // The only folder whose name ends with a slash.
  if (folder == "/") return true;
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace chronio::target

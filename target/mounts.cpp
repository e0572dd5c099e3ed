// mounts.cpp: parsing of /proc/self/mountinfo and /proc/swaps.
#include "target/mounts.hpp"

#include "target/paths.hpp"
#include "target/sysfs.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

namespace chronio::target {
namespace {

/// Parts between any of `separators`; empty ones are left out.
std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto begin = text.find_first_not_of(separators);
    if (begin == std::string_view::npos) return parts;
    const auto end = std::min(text.find_first_of(separators, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
}

bool is_octal(char c) noexcept { return c >= '0' && c <= '7'; }

/// The kernel writes blanks, tabs, newlines and backslashes in paths as \ooo (fs/proc_namespace.c).
/// What is no such escape stays as it is.
std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '\\' && i + 3 < text.size() && is_octal(text[i + 1]) &&
                        is_octal(text[i + 2]) && is_octal(text[i + 3]);
    if (!escape) {
      plain += text[i];
      continue;
    }
    plain +=
        static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + text[i + 3] - '0');
    i += 3;
  }
  return plain;
}

/// Files of /proc have no size, so they are read to their end. Empty when that fails.
std::string contents(const char* path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

std::vector<Mount> parse_mountinfo(std::string_view text) {
  std::vector<Mount> mounts;
  for (const std::string_view line : split(text, "\n")) {
    // id parent major:minor root point options [optional fields...] - type source options
    const auto fields = split(line, " ");
    // The number of optional fields varies; the single dash ends them.
    const auto dash = std::find(fields.begin(), fields.end(), "-");
    if (dash - fields.begin() < 6 || fields.end() - dash < 3) continue;
    const auto device = read_device_number(fields[2]);
    if (!device) continue;
    // The source is anybody's text, a device's path only for file systems that stand on one.
    mounts.push_back({*device, unescaped(fields[4]), std::string(dash[1]), unescaped(dash[2])});
  }
  return mounts;
}

std::vector<std::string> parse_swaps(std::string_view text) {
  std::vector<std::string> paths;
  const auto lines = split(text, "\n");
  for (std::size_t i = 1; i < lines.size(); ++i)  // the first holds the headings
    if (const auto fields = split(lines[i], " \t"); !fields.empty())
      paths.push_back(unescaped(fields[0]));
  return paths;
}

std::vector<Mount> read_mounts() { return parse_mountinfo(contents("/proc/self/mountinfo")); }

std::vector<std::string> read_swaps() { return parse_swaps(contents("/proc/swaps")); }

std::optional<Mount> mount_of(const std::vector<Mount>& mounts, const std::string& path) {
  std::error_code error;
  // Mount points in the table are resolved paths; the last names of an absent file don't matter.
  const std::string real = std::filesystem::weakly_canonical(path, error).string();
  const Mount* deepest = nullptr;
  for (const Mount& mount : mounts)
    if (lies_in(real, mount.point) &&
        (deepest == nullptr || mount.point.size() >= deepest->point.size()))
      deepest = &mount;
  if (deepest == nullptr) return std::nullopt;
  return *deepest;
}

}  // namespace chronio::target

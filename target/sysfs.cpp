// sysfs.cpp: reading /sys/dev/block, /sys/block and /sys/dev/char.
#include "target/sysfs.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/core.h>
#include <fstream>
#include <string_view>
#include <sys/sysmacros.h>
#include <system_error>

namespace chronio::target {
namespace {

namespace fs = std::filesystem;

/// Entries of a folder by name, sorted, so that messages are the same each time; none when it can't
/// be read.
std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    found.push_back(entry->path());
  std::sort(found.begin(), found.end());
  return found;
}

/// Empty where the link, or what it leads to, is not there. Devices come and go: no exception.
fs::path resolved(const fs::path& link) {
  std::error_code error;
  fs::path real = fs::canonical(link, error);
  return error ? fs::path() : real;
}

/// The kernel puts an attribute `partition` into the folder of each, and of nothing else.
bool is_partition(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "partition", error);
}

/// The device whose folder this is; nothing where there is no number.
std::optional<BlockDevice> device_in(const fs::path& folder) {
  const auto number = read_device_number(attribute(folder / "dev"));
  if (!number) return std::nullopt;
  return BlockDevice{*number, folder.filename().string(), is_partition(folder)};
}

template <class Number>
bool read_whole(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

/// By number and not by name, since names in /dev are whatever udev made of them.
fs::path by_number(const fs::path& root, const char* kind, std::uint64_t device) {
  return resolved(root / "dev" / kind / fmt::format("{}:{}", major(device), minor(device)));
}

}  // namespace

// Attributes end with a newline; models are padded with blanks.
std::string attribute(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  constexpr const char* kBlanks = " \t\r";
  const auto first = line.find_first_not_of(kBlanks);
  if (first == std::string::npos) return {};
  return line.substr(first, line.find_last_not_of(kBlanks) - first + 1);
}

std::optional<std::uint64_t> number_attribute(const fs::path& file) {
  std::uint64_t number = 0;
  if (!read_whole(attribute(file), number)) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> read_device_number(std::string_view text) {
  const auto colon = text.find(':');
  unsigned major_number = 0;
  unsigned minor_number = 0;
  if (colon == std::string_view::npos || !read_whole(text.substr(0, colon), major_number) ||
      !read_whole(text.substr(colon + 1), minor_number))
    return std::nullopt;
  return makedev(major_number, minor_number);
}

fs::path Sysfs::block(std::uint64_t device) const { return by_number(root_, "block", device); }

// A partition's folder stands in its disk's.
fs::path Sysfs::disk(const fs::path& folder) {
  return is_partition(folder) ? folder.parent_path() : folder;
}

std::vector<BlockDevice> Sysfs::overlapping(std::uint64_t device) const {
  const fs::path folder = block(device);
  if (folder.empty()) return {};
  // Itself first: use_objection() tells it from the others by that.
  std::vector<BlockDevice> found = {{device, folder.filename().string(), is_partition(folder)}};
  if (is_partition(folder)) {
    if (auto whole = device_in(folder.parent_path())) found.push_back(*std::move(whole));
    return found;
  }
  for (const fs::path& entry : entries(folder))
    if (is_partition(entry))
      if (auto part = device_in(entry)) found.push_back(*std::move(part));
  return found;
}

std::vector<std::string> Sysfs::holders(std::uint64_t device) const {
  const fs::path folder = block(device);
  std::vector<std::string> names;
  if (folder.empty()) return names;
  for (const fs::path& holder : entries(folder / "holders"))
    names.push_back(holder.filename().string());
  return names;
}

std::vector<Sysfs::Loop> Sysfs::loops() const {
  std::vector<Loop> found;
  for (const fs::path& folder : entries(root_ / "block"))
    if (std::string file = attribute(folder / "loop" / "backing_file"); !file.empty())
      found.push_back({folder.filename().string(), std::move(file)});
  return found;
}

std::optional<BlockDevice> Sysfs::nvme_sibling(std::uint64_t character_device) const {
  // The kernel numbers ngXnY and nvmeXnY alike, also for multipath heads; the per-path disks
  // (nvmeXcZnY) are hidden and have neither node (drivers/nvme/host/core.c, nvme_add_ns_cdev).
  const fs::path folder = by_number(root_, "char", character_device);
  const std::string name = folder.filename().string();
  if (resolved(folder / "subsystem").filename() != "nvme-generic" || !name.starts_with("ng"))
    return std::nullopt;
  const std::string sibling = "nvme" + name.substr(2);
  return device_in(root_ / "block" / sibling).value_or(BlockDevice{0, sibling, false});
}

}  // namespace chronio::target

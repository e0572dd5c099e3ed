// energy.cpp: reads /sys/class/powercap.
#include "pmu/energy.hpp"

#include <array>
#include <charconv>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <unistd.h>

namespace chronio::pmu {
namespace {

/// The number in a file; nothing when it can't be read. Allocates nothing. It is called at both
/// ends of the measured part.
std::optional<std::uint64_t> number_in(const std::string& path) noexcept {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  std::array<char, 32> text = {};
  const ssize_t bytes = ::read(fd, text.data(), text.size());
  ::close(fd);
  std::uint64_t value = 0;
  if (bytes <= 0 || std::from_chars(text.data(), text.data() + bytes, value).ec != std::errc())
    return std::nullopt;
  return value;
}

}  // namespace

PackageEnergy::PackageEnergy(const std::string& sysfs) {
  namespace fs = std::filesystem;
  std::error_code error;
  for (fs::directory_iterator at(fs::path(sysfs) / "class/powercap", error), end;
       !error && at != end; at.increment(error)) {
    std::string name;
    std::ifstream(at->path() / "name") >> name;
    // Others, as core and uncore, are parts of a package and would be counted twice.
    if (!name.starts_with("package-")) continue;
    const std::string path = at->path() / "energy_uj";
    const auto range = number_in(at->path() / "max_energy_range_uj");
    // By reading it: permissions alone don't tell.
    if (range && number_in(path)) zones_.push_back({path, *range, 0});
  }
}

void PackageEnergy::begin() noexcept {
  for (Zone& zone : zones_) zone.start = number_in(zone.path).value_or(0);
}

std::uint64_t PackageEnergy::used() const noexcept {
  std::uint64_t sum = 0;
  for (const Zone& zone : zones_) {
    // A zone that has gone adds nothing.
    const std::uint64_t now = number_in(zone.path).value_or(zone.start);
    // Once over its end looks like below its start; twice looks like nothing.
    sum += now >= zone.start ? now - zone.start : zone.range - zone.start + now;
  }
  return sum;
}

}  // namespace chronio::pmu

// energy.cpp: reads /sys/class/powercap.
#include "pmu/energy.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <map>
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

std::string word_in(const std::filesystem::path& path) {
  std::string word;
  std::ifstream(path) >> word;
  return word;
}

/// Whether all dies of a package show one counter. On AMD's and Hygon's processors they do; Linux
/// 6.10 and 6.11 have a zone for each of them all the same. On Intel's (Cascade Lake-AP) each die
/// has its own. Source: the kernel's drivers/powercap/intel_rapl_common.c,
/// rapl_msrs_are_pkg_scope(); its numbers of makers (arch/x86/include/asm/processor.h).
bool dies_share_counter(const std::string& sysfs) {
  const std::string cpu = word_in(sysfs + "/devices/system/cpu/modalias");
  return cpu.starts_with("cpu:type:x86,ven0002") || cpu.starts_with("cpu:type:x86,ven0009");
}

/// Packages by control type, the part of a zone's folder before the colon.
struct Package {
  std::string path;
  std::uint64_t range = 0;
};
using Packages = std::map<std::string, std::map<std::string, Package>>;

Packages readable_packages(const std::string& sysfs) {
  namespace fs = std::filesystem;
  const bool share = dies_share_counter(sysfs);
  Packages packages;
  std::error_code error;
  for (fs::directory_iterator at(fs::path(sysfs) / "class/powercap", error), end;
       !error && at != end; at.increment(error)) {
    std::string name = word_in(at->path() / "name");
    // Others, as core and uncore, are parts of a package and would be counted twice.
    if (!name.starts_with("package-")) continue;
    if (share) name.resize(std::min(name.find("-die-"), name.size()));
    const std::string path = at->path() / "energy_uj";
    const auto range = number_in(at->path() / "max_energy_range_uj");
    // By reading it: permissions alone don't tell.
    if (!range || !number_in(path)) continue;
    const std::string folder = at->path().filename();
    packages[folder.substr(0, folder.find(':'))].emplace(name, Package{path, *range});
  }
  return packages;
}

}  // namespace

PackageEnergy::PackageEnergy(const std::string& sysfs) {
  const Packages packages = readable_packages(sysfs);
  if (packages.empty()) return;
  // Of one control type alone: intel-rapl-mmio has the packages of intel-rapl once more.
  auto chosen = packages.find("intel-rapl");
  if (chosen == packages.end()) chosen = packages.begin();
  for (const auto& [name, package] : chosen->second)
    zones_.push_back({package.path, package.range, std::nullopt});
}

void PackageEnergy::begin() noexcept {
  for (Zone& zone : zones_) zone.start = number_in(zone.path);
}

std::optional<std::uint64_t> PackageEnergy::used() const noexcept {
  std::optional<std::uint64_t> sum;
  for (const Zone& zone : zones_) {
    if (!zone.start) continue;
    const std::optional<std::uint64_t> now = number_in(zone.path);
    // The sum of the others would pass for that of all.
    if (!now) return std::nullopt;
    // Once over its end looks like below its start; twice looks like nothing.
    const std::uint64_t used =
        *now >= *zone.start ? *now - *zone.start : zone.range - *zone.start + *now;
    sum = sum.value_or(0) + used;
  }
  return sum;
}

}  // namespace chronio::pmu

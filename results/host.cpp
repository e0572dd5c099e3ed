// host.cpp: the machine as the kernel and the processor describe it.
#include "results/host.hpp"

#include <array>
#include <charconv>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>
#include <sys/utsname.h>
#include <unistd.h>
#include <utility>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace chronio::results {
namespace {

/// Empty when there is no such file, as on machines without frequency scaling.
std::string read_file(const char* path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// NUL too: strings of the device tree end with one.
std::string trim(std::string_view text) {
  constexpr std::string_view kBlank = std::string_view(" \t\n\0", 4);
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(kBlank) - first + 1));
}

/// Value of the first "KEY : value" line. Both files of /proc have lines of this form; the blanks
/// around the colon differ.
std::string field(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && trim(line.substr(0, colon)) == key)
      return trim(line.substr(colon + 1));
  }
  return "";
}

#if defined(__x86_64__)
/// Source: Intel SDM and AMD APM: CPUID leaf 1, ECX bit 31; leaf 0x40000000 holds the signature.
std::string cpuid_hypervisor() {
  std::array<unsigned, 4> leaf = {};
  if (__get_cpuid(1, &leaf[0], &leaf[1], &leaf[2], &leaf[3]) == 0 || (leaf[2] >> 31U) == 0)
    return "";
  // Unchecked, for __get_cpuid() knows only the ranges of basic and extended leaves.
  __cpuid(0x40000000, leaf[0], leaf[1], leaf[2], leaf[3]);
  std::array<char, 12> signature = {};
  std::memcpy(signature.data(), &leaf[1], signature.size());
  return hypervisor_of({signature.data(), signature.size()});
}
#else
std::string cpuid_hypervisor() { return ""; }
#endif

/// The kernel names Xen in sysfs, whose paravirtual guests CPUID need not tell.
std::string hypervisor() {
  if (std::string name = cpuid_hypervisor(); !name.empty()) return name;
  return trim(read_file("/sys/hypervisor/type"));
}

/// Each architecture writes /proc/cpuinfo in a way of its own.
std::string cpu_model() {
  if (std::string name = cpu_model_of(read_file("/proc/cpuinfo")); !name.empty()) return name;
  return trim(read_file("/proc/device-tree/model"));  // the board: arm64 has no name for its CPU
}

/// Now, in seconds: the offset of a zone changes with the season, so it is kept with the run.
std::int32_t utc_offset() {
  const std::time_t now = std::time(nullptr);
  std::tm local = {};
  if (::localtime_r(&now, &local) == nullptr) return 0;
  return static_cast<std::int32_t>(local.tm_gmtoff);
}

}  // namespace

std::string cpu_model_of(std::string_view cpuinfo) { return field(cpuinfo, "model name"); }

std::uint64_t memory_of(std::string_view meminfo) {
  const std::string text = field(meminfo, "MemTotal");
  std::uint64_t kib = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), kib);
  // The kernel has always said kB and meant KiB; another unit would be a number that is not known.
  return error == std::errc() && std::string_view(end) == " kB" ? kib * 1024 : 0;
}

std::string hypervisor_of(std::string_view signature) {
  // Twelve bytes in EBX, ECX and EDX. KVM's are nine and three NULs, hence starts_with().
  constexpr std::array<std::pair<std::string_view, const char*>, 7> kNames = {{
      {"KVMKVMKVM", "KVM"},
      {"Microsoft Hv", "Hyper-V"},
      {"VMwareVMware", "VMware"},
      {"XenVMMXenVMM", "Xen"},
      {"TCGTCGTCGTCG", "QEMU TCG"},
      {"bhyve bhyve ", "bhyve"},
      {"VBoxVBoxVBox", "VirtualBox"},
  }};
  for (const auto& [known, name] : kNames)
    if (signature.starts_with(known)) return name;
  return trim(signature);
}

Host this_host() {
  Host host;
  utsname names = {};
  if (::uname(&names) == 0) {
    host.hostname = names.nodename;
    host.kernel = names.release;
    host.machine = names.machine;
  }
  host.cpu_model = cpu_model();
  const long cpus = ::sysconf(_SC_NPROCESSORS_ONLN);
  host.cpus = cpus > 0 ? static_cast<std::uint32_t>(cpus) : 0;
  host.governor = trim(read_file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"));
  host.clocksource =
      trim(read_file("/sys/devices/system/clocksource/clocksource0/current_clocksource"));
  host.memory_bytes = memory_of(read_file("/proc/meminfo"));
  host.hypervisor = hypervisor();
  host.utc_offset_s = utc_offset();
  return host;
}

}  // namespace chronio::results

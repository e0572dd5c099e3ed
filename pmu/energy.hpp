// energy.hpp: what the CPU packages have used, as RAPL counts it. Of the whole machine: it tells
// nothing of one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace chronio::pmu {

/// The energy counters of all packages, each counted once. Root alone may read them as a rule.
/// Source: the kernel's Documentation/power/powercap.
class PackageEnergy {
 public:
  /// [setup] Looks below `sysfs`/class/powercap for zones "package-N" and "package-N-die-M" whose
  /// counter can be read. A zone that can't be read is passed over, so without rights there are
  /// none. Of several zones for one package one is taken.
  explicit PackageEnergy(const std::string& sysfs = "/sys");

  /// Takes the counters; used() adds up what came since then. A counter that went over its end is
  /// seen once, so the two must not lie hours apart. Zones that can't be read now are left out.
  void begin() noexcept;
  /// uJ since begin(); nothing where no zone was read then, or one of them can't be read any more.
  [[nodiscard]] std::optional<std::uint64_t> used() const noexcept;

 private:
  struct Zone {
    std::string path;  ///< of energy_uj
    /// uJ; the counter begins anew above it.
    std::uint64_t range = 0;
    /// uJ, at begin(); nothing: could not be read.
    std::optional<std::uint64_t> start;
  };
  std::vector<Zone> zones_;
};

}  // namespace chronio::pmu

// energy.hpp: what the CPU packages have used, as RAPL counts it. Of the whole machine: it tells
// nothing of one thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace chronio::pmu {

/// The energy counters of all packages. Root alone may read them as a rule.
/// Source: the kernel's Documentation/power/powercap.
class PackageEnergy {
 public:
  /// [setup] Looks below `sysfs`/class/powercap for zones "package-N" whose counter can be read. A
  /// zone that can't be read is passed over, so without rights there are none.
  explicit PackageEnergy(const std::string& sysfs = "/sys");

  /// False: used() is 0 and means nothing.
  [[nodiscard]] bool readable() const noexcept { return !zones_.empty(); }

  /// Takes the counters; used() adds up what came since then, in uJ. A counter that went over its
  /// end is seen once, so the two must not lie hours apart.
  void begin() noexcept;
  /// Zones that can't be read any more add nothing.
  [[nodiscard]] std::uint64_t used() const noexcept;

 private:
  struct Zone {
    std::string path;  ///< of energy_uj
    /// uJ; the counter begins anew above it.
    std::uint64_t range = 0;
    /// uJ, at begin().
    std::uint64_t start = 0;
  };
  std::vector<Zone> zones_;
};

}  // namespace chronio::pmu

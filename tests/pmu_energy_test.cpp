// pmu_energy_test.cpp: energy of the packages, on counters of the test's own.
#include "pmu/energy.hpp"
#include "tests/catch.hpp"
#include "tests/temp_folder.hpp"

namespace {

using chronio::pmu::PackageEnergy;
using chronio::tests::TempFolder;

void make_zone(const TempFolder& sysfs, const std::string& zone, const std::string& name,
               const std::string& uj) {
  const std::string folder = "class/powercap/" + zone + "/";
  sysfs.write(folder + "name", name + "\n");
  sysfs.write(folder + "energy_uj", uj + "\n");
  sysfs.write(folder + "max_energy_range_uj", "1000000\n");
}

/// Package 0 and package 1 at these values in uJ; "none" can't be read.
void make_packages(const TempFolder& sysfs, const std::string& first, const std::string& second) {
  make_zone(sysfs, "intel-rapl:0", "package-0", first);
  make_zone(sysfs, "intel-rapl:1", "package-1", second);
}

/// What is used while package 0 goes from one value to another in a zone.
std::optional<std::uint64_t> used_between(const TempFolder& sysfs, const std::string& zone,
                                          const std::string& before, const std::string& after) {
  make_zone(sysfs, zone, "package-0", before);
  PackageEnergy energy(sysfs.path());
  energy.begin();
  make_zone(sysfs, zone, "package-0", after);
  return energy.used();
}

}  // namespace

TEST_CASE("energy: packages add up, and only packages", "[pmu]") {
  const TempFolder sysfs;
  make_packages(sysfs, "100", "2000");
  make_zone(sysfs, "intel-rapl:0:0", "core", "5");
  PackageEnergy energy(sysfs.path());
  energy.begin();
  make_packages(sysfs, "150", "2300");
  make_zone(sysfs, "intel-rapl:0:0", "core", "9999");
  CHECK(energy.used() == 350U);
}

TEST_CASE("energy: a package that two interfaces count is counted once, by intel-rapl", "[pmu]") {
  const TempFolder sysfs;
  const auto make = [&](const std::string& by_msr, const std::string& by_mmio) {
    make_zone(sysfs, "intel-rapl-mmio:0", "package-0", by_mmio);
    make_zone(sysfs, "intel-rapl:0", "package-0", by_msr);
    make_zone(sysfs, "intel-rapl:1", "package-1", by_msr);
  };
  make("100", "100");
  PackageEnergy energy(sysfs.path());
  energy.begin();
  make("130", "140");
  CHECK(energy.used() == 60U);
}

TEST_CASE("energy: another interface serves where intel-rapl can't be read", "[pmu]") {
  const TempFolder sysfs;
  make_zone(sysfs, "intel-rapl:0", "package-0", "none");
  CHECK(used_between(sysfs, "intel-rapl-mmio:0", "100", "130") == 30U);
}

TEST_CASE("energy: dies add up on Intel's processors; on AMD's and Hygon's each shows its package",
          "[pmu]") {
  struct Maker {
    std::string modalias;
    std::uint64_t used;  // uJ
  };
  // The kernel's numbers of makers. Two packages use 10 and 100, of which Intel's second dies tell
  // 1 and 2 of their own.
  for (const Maker& maker : {Maker{"cpu:type:x86,ven0000fam0006mod0055:feature:,0000", 113},
                             Maker{"cpu:type:x86,ven0002fam0019mod0011:feature:,0000", 110},
                             Maker{"cpu:type:x86,ven0009fam0018mod0004:feature:,0000", 110}}) {
    CAPTURE(maker.modalias);
    const bool mirrors = maker.used == 110;
    const TempFolder sysfs;
    sysfs.write("devices/system/cpu/modalias", maker.modalias + "\n");
    const auto make = [&](std::uint64_t first, std::uint64_t second, bool later) {
      const auto other = [&](std::uint64_t die_0, std::uint64_t own) {
        return std::to_string(mirrors ? die_0 : later ? own : 0);
      };
      make_zone(sysfs, "intel-rapl:0", "package-0-die-0", std::to_string(first));
      make_zone(sysfs, "intel-rapl:1", "package-0-die-1", other(first, 1));
      make_zone(sysfs, "intel-rapl:2", "package-1-die-0", std::to_string(second));
      make_zone(sysfs, "intel-rapl:3", "package-1-die-1", other(second, 2));
    };
    make(500, 700, false);
    PackageEnergy energy(sysfs.path());
    energy.begin();
    make(510, 800, true);
    CHECK(energy.used() == maker.used);
  }
}

TEST_CASE("energy: a counter may go over its end once", "[pmu]") {
  const TempFolder sysfs;
  CHECK(used_between(sysfs, "intel-rapl:0", "999900", "50") == 150U);
}

TEST_CASE("energy: without zones, with broken ones, or without a beginning there is none",
          "[pmu]") {
  const TempFolder sysfs;
  const auto used = [&](bool begins) {
    PackageEnergy energy(sysfs.path());
    if (begins) energy.begin();
    return energy.used();
  };
  CHECK_FALSE(used(true));
  make_zone(sysfs, "intel-rapl:0", "package-0", "none");
  CHECK_FALSE(used(true));
  make_zone(sysfs, "intel-rapl:0", "package-0", "100");
  CHECK(used(true) == 0U);
  CHECK_FALSE(used(false));
}

TEST_CASE("energy: a zone that can't be read at the beginning adds nothing, however it comes back",
          "[pmu]") {
  const TempFolder sysfs;
  make_packages(sysfs, "100", "2000");
  PackageEnergy energy(sysfs.path());
  make_zone(sysfs, "intel-rapl:1", "package-1", "none");
  energy.begin();
  make_packages(sysfs, "150", "2300");
  CHECK(energy.used() == 50U);
}

TEST_CASE("energy: what could not be read at the end is no figure, rather than one too small",
          "[pmu]") {
  const TempFolder sysfs;
  make_packages(sysfs, "100", "2000");
  PackageEnergy energy(sysfs.path());
  energy.begin();
  make_packages(sysfs, "150", "none");
  CHECK_FALSE(energy.used());
  make_zone(sysfs, "intel-rapl:1", "package-1", "2300");
  CHECK(energy.used() == 350U);
}

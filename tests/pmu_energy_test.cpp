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

}  // namespace

TEST_CASE("energy: packages add up, and only packages", "[pmu]") {
  const TempFolder sysfs;
  make_zone(sysfs, "intel-rapl:0", "package-0", "100");
  make_zone(sysfs, "intel-rapl:1", "package-1", "2000");
  make_zone(sysfs, "intel-rapl:0:0", "core", "5");
  PackageEnergy energy(sysfs.path());
  REQUIRE(energy.readable());
  energy.begin();
  make_zone(sysfs, "intel-rapl:0", "package-0", "150");
  make_zone(sysfs, "intel-rapl:1", "package-1", "2300");
  make_zone(sysfs, "intel-rapl:0:0", "core", "9999");
  CHECK(energy.used() == 350);
}

TEST_CASE("energy: a counter may go over its end once", "[pmu]") {
  const TempFolder sysfs;
  make_zone(sysfs, "intel-rapl:0", "package-0", "999900");
  PackageEnergy energy(sysfs.path());
  energy.begin();
  make_zone(sysfs, "intel-rapl:0", "package-0", "50");
  CHECK(energy.used() == 150);
}

TEST_CASE("energy: without zones, or with broken ones, there is none", "[pmu]") {
  const TempFolder sysfs;
  CHECK_FALSE(PackageEnergy(sysfs.path()).readable());
  make_zone(sysfs, "intel-rapl:0", "package-0", "none");
  CHECK_FALSE(PackageEnergy(sysfs.path()).readable());
}

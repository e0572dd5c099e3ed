// device_use_test.cpp: what counts against writing to a device, decided from recorded facts.
#include "target/device_use.hpp"

#include "tests/catch.hpp"

#include <cerrno>

using namespace chronio::target;

namespace {

DeviceFacts disk_with_partition() {
  DeviceFacts facts;
  facts.overlapping = {{10, "sda"}, {11, "sda1", true}};
  return facts;
}

bool objects_with(const DeviceFacts& facts, const std::string& words) {
  const auto reason = objection(facts);
  INFO(reason.value_or("no objection"));
  return reason && reason->find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("device_use: a blank device that nobody uses may be written", "[target]") {
  DeviceFacts facts;
  facts.overlapping = {{10, "sda"}};
  facts.uses = {{99, "mounted at /elsewhere (xfs)"}};
  CHECK_FALSE(objection(facts).has_value());
  facts.overlapping = {{11, "sda1", true}, {10, "sda"}};
  CHECK_FALSE(objection(facts).has_value());
}

TEST_CASE("device_use: a disk without a partition table is no blank one while it has partitions",
          "[target]") {
  CHECK(objects_with(disk_with_partition(), "sda1 is a partition of it"));
}

TEST_CASE("device_use: a use of the device itself is named", "[target]") {
  DeviceFacts facts = disk_with_partition();
  facts.uses = {{10, "in use as swap"}};
  CHECK(objects_with(facts, "it is in use as swap"));
}

TEST_CASE("device_use: a use of an overlapping device is named with that device", "[target]") {
  DeviceFacts facts = disk_with_partition();
  facts.uses = {{11, "mounted at /boot (ext4)"}};
  CHECK(objects_with(facts, "sda1, which it overlaps, is mounted at /boot (ext4)"));
}

TEST_CASE("device_use: a device that is busy, unreadable, or not to be opened is refused",
          "[target]") {
  DeviceFacts facts = disk_with_partition();
  facts.exclusive_error = EBUSY;
  CHECK(objects_with(facts, "in use"));
  facts.exclusive_error = EACCES;
  CHECK(objects_with(facts, "Permission denied"));
  facts.exclusive_error = 0;
  facts.unreadable = "it can't be read: Input/output error";
  CHECK(objects_with(facts, "it can't be read"));
}

TEST_CASE("device_use: what libblkid found is named", "[target]") {
  DeviceFacts facts = disk_with_partition();
  facts.signature = "ext4 (label \"x\")";
  CHECK(objects_with(facts, "it holds ext4 (label \"x\")"));
}

TEST_CASE("device_use: a device that sysfs doesn't know is refused", "[target]") {
  CHECK(objects_with(DeviceFacts{}, "sysfs does not know it"));
}

TEST_CASE("device_use: a mount counts by its number and by its source", "[target]") {
  const auto uses = uses_by_mounts(
      parse_mountinfo(
          "1 0 0:44 / /data rw - btrfs /dev/sdb rw\n2 0 8:1 / /boot rw - ext4 none rw\n"),
      [](const std::string& path) { return path == "/dev/sdb" ? std::uint64_t{7} : 0; });
  DeviceFacts btrfs;
  btrfs.overlapping = {{7, "sdb"}};
  btrfs.uses = uses;
  CHECK(objects_with(btrfs, "mounted at /data (btrfs)"));
  DeviceFacts boot;
  boot.overlapping = {{read_device_number("8:1").value(), "sda1"}};
  boot.uses = uses;
  CHECK(objects_with(boot, "mounted at /boot (ext4)"));
}

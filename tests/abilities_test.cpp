// abilities_test.cpp: whether the disk below a target can trim and be polled, from its attributes.
#include "target/abilities.hpp"

#include "tests/catch.hpp"
#include "tests/temp_folder.hpp"

#include <filesystem>
#include <sys/sysmacros.h>

using namespace chronio::target;
using Catch::Matchers::Contains;

namespace {

/// A sysfs with one disk, 259:1.
class OneDisk {
 public:
  OneDisk() {
    tree_.write("devices/nvme0n1/dev", "259:1\n");
    std::filesystem::create_directories(tree_ / "dev/block");
    std::filesystem::create_symlink(tree_ / "devices/nvme0n1", tree_ / "dev/block/259:1");
  }
  void set(const std::string& attribute, const std::string& text) {
    tree_.write("devices/nvme0n1/queue/" + attribute, text);
  }
  [[nodiscard]] Sysfs sysfs() const { return Sysfs(tree_.path()); }

 private:
  chronio::tests::TempFolder tree_;
};

Target target(Kind kind, std::uint64_t device) {
  Target found;
  found.path = "/dev/x";
  found.kind = kind;
  found.device = device;
  return found;
}

const std::uint64_t kDisk = makedev(259, 1);

}  // namespace

TEST_CASE("abilities: a device that knows no discard can't be trimmed, a file may be tried",
          "[target]") {
  OneDisk disk;
  CHECK_FALSE(why_not_trimmable(target(Kind::block, kDisk), disk.sysfs()));
  disk.set("discard_max_bytes", "4096\n");
  CHECK_FALSE(why_not_trimmable(target(Kind::block, kDisk), disk.sysfs()));
  disk.set("discard_max_bytes", "0\n");
  CHECK_THAT(why_not_trimmable(target(Kind::block, kDisk), disk.sysfs()).value_or(""),
             Contains("discard_max_bytes is 0"));
  CHECK_FALSE(why_not_trimmable(target(Kind::file, kDisk), disk.sysfs()));
}

TEST_CASE("abilities: polling needs poll queues of the device, also below a file", "[target]") {
  OneDisk disk;
  disk.set("io_poll", "0\n");
  for (const Kind kind : {Kind::block, Kind::file})
    CHECK_THAT(why_not_pollable(target(kind, kDisk), disk.sysfs()).value_or(""),
               Contains("nvme0n1 has no poll queues") && Contains("nvme.poll_queues"));
  disk.set("io_poll", "1\n");
  for (const Kind kind : {Kind::block, Kind::file})
    CHECK_FALSE(why_not_pollable(target(kind, kDisk), disk.sysfs()));
  CHECK_THAT(why_not_pollable(target(Kind::file, makedev(0, 99)), disk.sysfs()).value_or(""),
             Contains("there is no disk below it"));
}

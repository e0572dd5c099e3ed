// mounts_test.cpp: the kernel's tables of mounts and swaps are read as proc(5) describes them.
#include "target/mounts.hpp"

#include "target/paths.hpp"
#include "tests/catch.hpp"

#include <sys/sysmacros.h>

using namespace chronio::target;

TEST_CASE("mounts: device, point, type and source are found around the optional fields",
          "[target]") {
  const auto mounts = parse_mountinfo(
      "21 26 0:20 / /proc rw,relatime - proc proc rw\n"
      "26 1 254:0 / / rw,relatime shared:1 master:2 - ext4 /dev/vda rw,discard\n"
      "40 26 0:44 /sub /data rw shared:9 - btrfs /dev/nvme0n1p2 rw,subvol=/sub\n");
  REQUIRE(mounts.size() == 3);
  CHECK(mounts[1].device == makedev(254, 0));
  CHECK(mounts[1].point == "/");
  CHECK(mounts[1].type == "ext4");
  CHECK(mounts[1].source == "/dev/vda");
  CHECK(mounts[2].device == makedev(0, 44));
  CHECK(mounts[2].source == "/dev/nvme0n1p2");
}

TEST_CASE("mounts: octal escapes in paths are undone", "[target]") {
  const auto mounts =
      parse_mountinfo("30 1 8:1 / /media/my\\040disk\\134x rw - ext4 /dev/disk\\011a rw\n");
  REQUIRE(mounts.size() == 1);
  CHECK(mounts[0].point == "/media/my disk\\x");
  CHECK(mounts[0].source == "/dev/disk\ta");
}

TEST_CASE("mounts: lines that can't be read are left out, the others stay", "[target]") {
  const auto mounts = parse_mountinfo(
      "\n- - -\n1 2 3\n30 1 eight:1 / /a rw - ext4 /dev/sda rw\n"
      "30 1 8:1 / /b rw ext4 /dev/sdb rw\n30 1 8:2 / /c rw - ext4 /dev/sdc rw");
  REQUIRE(mounts.size() == 1);
  CHECK(mounts[0].point == "/c");
}

TEST_CASE("mounts: an escape cut off at the end of a path is plain text", "[target]") {
  const auto mounts = parse_mountinfo("30 1 8:1 / /a\\04 rw - ext4 /dev/sd\\ rw\n");
  REQUIRE(mounts.size() == 1);
  CHECK(mounts[0].point == "/a\\04");
  CHECK(mounts[0].source == "/dev/sd\\");
}

TEST_CASE("mounts: swaps are listed without the headings", "[target]") {
  const auto swaps = parse_swaps(
      "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
      "/dev/sda2                               partition\t1048572\t\t0\t\t-2\n"
      "/swap\\040file                          file\t\t1024\t\t0\t\t-3\n");
  CHECK(swaps == std::vector<std::string>{"/dev/sda2", "/swap file"});
  CHECK(parse_swaps("Filename Type\n").empty());
  CHECK(parse_swaps("").empty());
}

TEST_CASE("mounts: a path belongs to the deepest mount above it", "[target]") {
  const auto mounts = parse_mountinfo(
      "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"
      "2 1 8:2 / /tmp rw - xfs /dev/sda2 rw\n"
      "3 1 8:3 / /tmpfoo rw - xfs /dev/sda3 rw\n"
      "4 1 8:4 / /tmp rw - btrfs /dev/sda4 rw\n");
  CHECK(mount_of(mounts, "/usr")->source == "/dev/sda1");
  CHECK(mount_of(mounts, "/tmp/absent/x")->source == "/dev/sda4");
  CHECK(mount_of(mounts, "/tmpfoo")->source == "/dev/sda3");
  CHECK_FALSE(mount_of({}, "/tmp").has_value());
}

TEST_CASE("mounts: this process has a root mount", "[target]") {
  CHECK(mount_of(read_mounts(), "/").has_value());
}

TEST_CASE("paths: the folder of a path is what stands before its last name", "[target]") {
  CHECK(folder_of("/a/b") == "/a");
  CHECK(folder_of("a/b/c") == "a/b");
  CHECK(folder_of("a//b") == "a");
  CHECK(folder_of("/a") == "/");
  CHECK(folder_of("a") == ".");
  CHECK(folder_of("") == ".");
}

TEST_CASE("paths: a name that only begins like a folder does not lie in it", "[target]") {
  CHECK(lies_in("/dev/sda", "/dev"));
  CHECK(lies_in("/dev", "/dev"));
  CHECK_FALSE(lies_in("/device", "/dev"));
  CHECK_FALSE(lies_in("", "/dev"));
  CHECK(lies_in("/any", "/"));
}

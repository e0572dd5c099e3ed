// guard_loop_test.cpp: the guard against real block devices: loop devices on files of the test's
// own. Needs root and loop devices; skips (77) without.
#include "target/fd.hpp"
#include "target/guard.hpp"
#include "tests/catch.hpp"
#include "tests/loop_device.hpp"
#include "tests/temp_folder.hpp"

#include <sys/mount.h>
#include <sys/stat.h>

using namespace chronio::target;
using chronio::tests::contents_of;
using chronio::tests::LoopDevice;
using chronio::tests::make;
using chronio::tests::needs_loop_devices;
using chronio::tests::TempFolder;

namespace {

constexpr std::uint64_t kMiB = 1U << 20;

std::string answer(const std::string& path, const Policy& policy = {}) {
  return why_not_writable(inspect(path), policy).value_or("writable");
}

bool names(const std::string& text, const std::string& words) {
  INFO(text);
  return text.find(words) != std::string::npos;
}

std::string image(const TempFolder& folder, std::string text = {}) {
  text.resize(8 * kMiB);
  return folder.write("image", text);
}

std::string ext4_image(const TempFolder& folder) {
  std::string path = image(folder);
  make("mkfs.ext4 -q -F -L keepme " + path);
  return path;
}

/// A mount that ends with its owner.
class Mounted {
 public:
  Mounted(const std::string& device, std::string point, unsigned long flags)
      : point_(std::move(point)) {
    std::filesystem::create_directory(point_);
    INFO(device << " at " << point_);
    REQUIRE(::mount(device.c_str(), point_.c_str(), "ext4", flags, nullptr) == 0);
  }
  Mounted(const Mounted&) = delete;
  Mounted& operator=(const Mounted&) = delete;
  ~Mounted() { ::umount(point_.c_str()); }

 private:
  std::string point_;
};

timespec changed(const std::string& path) {
  struct stat found = {};
  REQUIRE(::stat(path.c_str(), &found) == 0);
  return found.st_mtim;
}

}  // namespace

TEST_CASE("guard: a blank device may be written", "[target]") {
  needs_loop_devices();
  const TempFolder folder;
  const LoopDevice loop(image(folder));
  CHECK(answer(loop.path()) == "writable");
  const Policy readonly = {.readonly = true, .allow_destroy = {loop.path()}};
  CHECK(names(answer(loop.path(), readonly), "--readonly"));
}

TEST_CASE("guard: a device with ext4 is refused by type, label and UUID, and stays as it was",
          "[target]") {
  needs_loop_devices();
  const TempFolder folder;
  const std::string file = ext4_image(folder);
  const std::string before = contents_of(file);
  const timespec time_before = changed(file);
  {
    const LoopDevice loop(file);
    const std::string text = answer(loop.path());
    CHECK(names(text, "it holds ext4 (label \"keepme\", UUID "));
    CHECK(names(text, "--allow-destroy=" + loop.path()));
  }
  const bool identical = contents_of(file) == before;  // printing it would take minutes
  CHECK(identical);
  CHECK(changed(file).tv_sec == time_before.tv_sec);
  CHECK(changed(file).tv_nsec == time_before.tv_nsec);
}

TEST_CASE("guard: allow_destroy lifts the guard for that device, by whatever name", "[target]") {
  needs_loop_devices();
  const TempFolder folder;
  const LoopDevice loop(ext4_image(folder));
  const TempFolder other_folder;
  const LoopDevice other(ext4_image(other_folder));
  std::filesystem::create_symlink(loop.path(), folder / "link");
  CHECK(answer(loop.path(), {.readonly = false, .allow_destroy = {folder / "link"}}) == "writable");
  CHECK(answer(folder / "link", {.readonly = false, .allow_destroy = {loop.path()}}) == "writable");
  CHECK(names(answer(other.path(), {.readonly = false, .allow_destroy = {loop.path()}}), "ext4"));
  CHECK(names(answer(loop.path(), {.readonly = false, .allow_destroy = {"", "/dev", "/no/such"}}),
              "ext4"));
}

TEST_CASE("guard: a symbolic link to a device is the device", "[target]") {
  needs_loop_devices();
  const TempFolder folder;
  const LoopDevice loop(ext4_image(folder));
  std::filesystem::create_symlink(loop.path(), folder / "link");
  CHECK(names(answer(folder / "link"), "it holds ext4"));
}

TEST_CASE("guard: a swap signature is refused", "[target]") {
  needs_loop_devices();
  const TempFolder folder;
  const std::string file = image(folder);
  make("mkswap -q " + file);
  const LoopDevice loop(file);
  CHECK(names(answer(loop.path()), "it holds swap"));
}

TEST_CASE("guard: a partition table is refused", "[target]") {
  needs_loop_devices();
  const TempFolder folder;
  const LoopDevice loop(image(folder, chronio::tests::partition_table()));
  CHECK(names(answer(loop.path()), "a partition table (dos"));
}

TEST_CASE("guard: a damaged superblock is data too", "[target]") {
  needs_loop_devices();
  const TempFolder folder;
  const std::string file = ext4_image(folder);
  std::string bytes = contents_of(file);
  bytes[1024 + 0x20] = static_cast<char>(bytes[1024 + 0x20] ^ 1);  // its checksum no longer holds
  const LoopDevice loop(folder.write("image", bytes));
  CHECK(names(answer(loop.path()), "it holds ext4"));
}

TEST_CASE("guard: a mounted device is refused by its mount, also when mounted read-only",
          "[target]") {
  needs_loop_devices();
  const TempFolder folder;
  const LoopDevice loop(ext4_image(folder));
  const Mounted mounted(loop.path(), folder / "mnt", MS_RDONLY);
  CHECK(names(answer(loop.path()), "it is mounted at " + (folder / "mnt") + " (ext4)"));
}

TEST_CASE("guard: a disk is refused for the sake of its partition, whether mounted or not",
          "[target]") {
  needs_loop_devices();
  const TempFolder folder;
  const std::string file = image(folder);
  make("mkfs.ext4 -q -F -E offset=1048576 " + file + " 6M");
  const LoopDevice loop(file);
  CHECK(answer(loop.path()) == "writable");
  const std::string partition = loop.add_partition(kMiB, 6 * kMiB);
  CHECK(names(answer(partition), "it holds ext4"));
  CHECK(names(answer(loop.path()), "p1 is a partition of it"));
  const Mounted mounted(partition, folder / "mnt", MS_RDONLY);
  CHECK(names(answer(loop.path()), "p1, which it overlaps, is mounted at "));
  CHECK(names(answer(partition), "it is mounted at "));
}

TEST_CASE("guard: a partition is refused for the sake of its mounted disk", "[target]") {
  needs_loop_devices();
  const TempFolder folder;
  const LoopDevice loop(ext4_image(folder));
  const std::string partition = loop.add_partition(kMiB, kMiB);
  const Mounted mounted(loop.path(), folder / "mnt", MS_RDONLY);
  CHECK(names(answer(partition), ", which it overlaps, is mounted at "));
}

TEST_CASE("guard: a device below another loop device is refused", "[target]") {
  needs_loop_devices();
  const TempFolder folder;
  const LoopDevice below(image(folder));
  const LoopDevice above(below.path());
  CHECK(names(answer(below.path()), "it is held by loop"));
  CHECK(answer(above.path()) == "writable");
}

TEST_CASE("guard: a device that another program holds exclusively is refused", "[target]") {
  needs_loop_devices();
  const TempFolder folder;
  const LoopDevice loop(image(folder));
  const Fd holder = Fd::open(loop.path(), O_RDONLY | O_EXCL);
  REQUIRE(holder.ok());
  CHECK(names(answer(loop.path()), "O_EXCL"));
}

TEST_CASE("guard: a claimed device can be neither mounted nor made a file system on", "[target]") {
  needs_loop_devices();
  const TempFolder folder;
  const LoopDevice loop(image(folder));
  Claims claims;
  claims.add(inspect(loop.path()), {}, true);
  CHECK_NOTHROW(claims.add(inspect(loop.path()), {}, true));  // its own claim is in nobody's way
  CHECK(chronio::tests::run("mkfs.ext4 -q " + loop.path()) != 0);
  CHECK_FALSE(Fd::open(loop.path(), O_RDONLY | O_EXCL).ok());
  CHECK_NOTHROW(Fd(open_target(inspect(loop.path()), chronio::Access::read_write, true)));
}

TEST_CASE("guard: a claim asks again, and is let go where it can't be kept", "[target]") {
  needs_loop_devices();
  const TempFolder folder;
  const LoopDevice loop(image(folder));
  const Target seen = inspect(loop.path());
  Claims().add(seen, {}, true);
  CHECK(Fd::open(loop.path(), O_RDONLY | O_EXCL).ok());
  Claims unkept;
  unkept.add(seen, {}, false);
  CHECK(Fd::open(loop.path(), O_RDONLY | O_EXCL).ok());
  CHECK_FALSE(unkept.why_lost(seen).has_value());
  make("mkfs.ext4 -q -F " + loop.path());
  CHECK(names(unkept.why_lost(seen).value_or(""), "it holds ext4"));
  CHECK_THROWS_AS(Claims().add(seen, {}, true), Error);
  CHECK_NOTHROW(Claims().add(seen, {false, {loop.path()}}, true));
}

TEST_CASE("target: a block device has its size, logical block and file", "[target]") {
  needs_loop_devices();
  const TempFolder folder;
  const std::string file = image(folder);
  const LoopDevice loop(file);
  const Target target = inspect(loop.path());
  CHECK(target.kind == Kind::block);
  CHECK(target.bytes == 8 * kMiB);
  CHECK(target.logical_block == 512);
  CHECK(names(device_info(target).model, file));
  const Fd fd(open_target(target, chronio::Access::read_only, true));
  CHECK(drop_cache(fd.get(), Kind::block) == 0);
}

// sysfs_test.cpp: relations and attributes of block devices, read from trees shaped like the
// kernel's.
#include "target/sysfs.hpp"

#include "target/device_info.hpp"
#include "tests/catch.hpp"
#include "tests/temp_folder.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <sys/sysmacros.h>

using namespace chronio::target;

namespace {

/// A sysfs with the parts that the product reads.
class FakeSysfs {
 public:
  /// Adds a disk, or with `disk` one of its partitions.
  void add(const std::string& name, unsigned minor_number, const std::string& disk = "") {
    const std::string folder = "devices/" + (disk.empty() ? name : disk + "/" + name);
    const std::string number = fmt::format("259:{}", minor_number);
    tree_.write(folder + "/dev", number + "\n");
    if (!disk.empty()) tree_.write(folder + "/partition", "1\n");
    link(tree_ / folder, "dev/block/" + number);
    if (disk.empty()) link(tree_ / folder, "block/" + name);
  }
  void set(const std::string& device, const std::string& attribute, const std::string& text) {
    tree_.write("devices/" + device + "/" + attribute, text);
  }
  void link(const std::string& to, const std::string& at) {
    std::filesystem::create_directories(std::filesystem::path(tree_ / at).parent_path());
    std::filesystem::create_symlink(to, tree_ / at);
  }
  /// The path of a device's folder.
  [[nodiscard]] std::string device(const std::string& name) const {
    return tree_ / ("devices/" + name);
  }
  [[nodiscard]] Sysfs sysfs() const { return Sysfs(tree_.path()); }
  [[nodiscard]] DeviceInfo info(unsigned minor_number) const {
    return device_info(sysfs(), makedev(259, minor_number));
  }

 private:
  chronio::tests::TempFolder tree_;
};

std::vector<std::string> names(const std::vector<BlockDevice>& devices) {
  std::vector<std::string> found;
  for (const BlockDevice& device : devices) found.push_back(device.name);
  return found;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("sysfs: a disk overlaps its partitions, a partition its disk but not its siblings",
          "[target]") {
  FakeSysfs fake;
  fake.add("nvme0n1", 0);
  fake.add("nvme0n1p1", 1, "nvme0n1");
  fake.add("nvme0n1p2", 2, "nvme0n1");
  fake.add("nvme1n1", 3);
  CHECK(names(fake.sysfs().overlapping(makedev(259, 0))) ==
        Names{"nvme0n1", "nvme0n1p1", "nvme0n1p2"});
  CHECK(names(fake.sysfs().overlapping(makedev(259, 2))) == Names{"nvme0n1p2", "nvme0n1"});
  CHECK(names(fake.sysfs().overlapping(makedev(259, 3))) == Names{"nvme1n1"});
  CHECK(fake.sysfs().overlapping(makedev(259, 9)).empty());
}

TEST_CASE("sysfs: holders and loop devices in use are listed", "[target]") {
  FakeSysfs fake;
  fake.add("sda", 0);
  fake.add("loop0", 1);
  fake.add("loop1", 2);
  fake.set("sda", "holders/dm-3", "");
  fake.set("sda", "holders/md0", "");
  fake.set("loop1", "loop/backing_file", "/images/a b.img\n");
  CHECK(fake.sysfs().holders(makedev(259, 0)) == Names{"dm-3", "md0"});
  CHECK(fake.sysfs().holders(makedev(259, 1)).empty());
  REQUIRE(fake.sysfs().loops().size() == 1);
  CHECK(fake.sysfs().loops()[0].name == "loop1");
  CHECK(fake.sysfs().loops()[0].backing_file == "/images/a b.img");
}

TEST_CASE("sysfs: the block sibling of an NVMe generic device is found by its name", "[target]") {
  FakeSysfs fake;
  fake.add("nvme2n1", 7);
  for (const char* name : {"ng2n1", "ng3n1", "ttyS0"}) fake.set(name, "dev", "");
  fake.link("../../class/nvme-generic", "devices/ng2n1/subsystem");
  fake.link("../../class/nvme-generic", "devices/ng3n1/subsystem");
  fake.link("../../class/tty", "devices/ttyS0/subsystem");
  std::filesystem::create_directories(fake.device("../class/nvme-generic"));
  std::filesystem::create_directories(fake.device("../class/tty"));
  fake.link(fake.device("ng2n1"), "dev/char/240:0");
  fake.link(fake.device("ng3n1"), "dev/char/240:1");
  fake.link(fake.device("ttyS0"), "dev/char/4:64");
  const Sysfs sysfs = fake.sysfs();
  REQUIRE(sysfs.nvme_sibling(makedev(240, 0)).has_value());
  CHECK(sysfs.nvme_sibling(makedev(240, 0))->name == "nvme2n1");
  CHECK(sysfs.nvme_sibling(makedev(240, 0))->number == makedev(259, 7));
  REQUIRE(sysfs.nvme_sibling(makedev(240, 1)).has_value());
  CHECK(sysfs.nvme_sibling(makedev(240, 1))->number == 0);
  CHECK_FALSE(sysfs.nvme_sibling(makedev(4, 64)).has_value());
  CHECK_FALSE(sysfs.nvme_sibling(makedev(1, 3)).has_value());
}

TEST_CASE("sysfs: attributes lose their blanks, numbers must be whole", "[target]") {
  const chronio::tests::TempFolder folder;
  CHECK(attribute(folder.write("a", "  INTEL SSD \nsecond line\n")) == "INTEL SSD");
  CHECK(attribute(folder / "absent").empty());
  CHECK(number_attribute(folder.write("b", "4096\n")) == 4096U);
  CHECK_FALSE(number_attribute(folder.write("c", "4k\n")).has_value());
  CHECK(read_device_number("259:12") == makedev(259, 12));
  for (const char* wrong : {"", ":", "8", "8:", ":1", "8:1x", "-8:1"})
    CHECK_FALSE(read_device_number(wrong).has_value());
}

TEST_CASE("device_info: an NVMe partition names its disk, model, firmware and serial", "[target]") {
  FakeSysfs fake;
  fake.add("nvme0n1", 0);
  fake.add("nvme0n1p1", 1, "nvme0n1");
  fake.set("nvme0n1", "device/model", "SAMSUNG MZQL2 \n");
  fake.set("nvme0n1", "device/firmware_rev", "GDC5602Q\n");
  fake.set("nvme0n1", "device/serial", "S64G\n");
  fake.set("nvme0n1", "queue/scheduler", "[none] mq-deadline kyber\n");
  const DeviceInfo info = fake.info(1);
  CHECK(info.name == "nvme0n1");
  CHECK(info.model == "SAMSUNG MZQL2");
  CHECK(info.firmware == "GDC5602Q");
  CHECK(info.serial == "S64G");
  CHECK(info.scheduler == "none");
}

TEST_CASE("device_info: SCSI puts its vendor before the model", "[target]") {
  FakeSysfs fake;
  fake.add("sda", 0);
  fake.set("sda", "device/vendor", "SEAGATE \n");
  fake.set("sda", "device/model", "ST4000NM0023 \n");
  fake.set("sda", "device/rev", "0004\n");
  fake.set("sda", "queue/scheduler", "none [mq-deadline]\n");
  CHECK(fake.info(0).model == "SEAGATE ST4000NM0023");
  CHECK(fake.info(0).firmware == "0004");
  CHECK(fake.info(0).scheduler == "mq-deadline");
}

TEST_CASE("device_info: virtio names its driver, a loop device its file", "[target]") {
  FakeSysfs fake;
  fake.add("vda", 0);
  fake.set("vda", "device/vendor", "0x1af4\n");
  fake.set("vda", "serial", "disk-7\n");
  fake.link("../../bus/virtio/drivers/virtio_blk", "devices/vda/device/driver");
  fake.add("loop0", 1);
  fake.set("loop0", "loop/backing_file", "/images/a.img\n");
  CHECK(fake.info(0).model == "virtio_blk");
  CHECK(fake.info(0).serial == "disk-7");
  CHECK(fake.info(0).scheduler.empty());
  CHECK(fake.info(1).model == "loop device on /images/a.img");
}

TEST_CASE("device_info: a stack on one disk tells of that disk, a stack on two does not guess",
          "[target]") {
  FakeSysfs fake;
  fake.add("sda", 0);
  fake.add("sda1", 1, "sda");
  fake.add("sdb", 2);
  fake.add("dm-0", 3);
  fake.add("dm-1", 4);
  fake.add("md0", 5);
  fake.set("sda", "device/model", "Disk A\n");
  fake.link(fake.device("sda/sda1"), "devices/dm-0/slaves/sda1");
  fake.link(fake.device("dm-0"), "devices/dm-1/slaves/dm-0");
  fake.link(fake.device("sda"), "devices/md0/slaves/sda");
  fake.link(fake.device("sdb"), "devices/md0/slaves/sdb");
  CHECK(fake.info(4).name == "dm-1");
  CHECK(fake.info(4).model == "Disk A");
  CHECK(fake.info(5).name == "md0");
  CHECK(fake.info(5).model.empty());
}

TEST_CASE("device_info: a device that sysfs doesn't know has no name", "[target]") {
  CHECK(FakeSysfs().info(1).name.empty());
}

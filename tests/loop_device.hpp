// loop_device.hpp: loop devices on a test's own files; for tests that skip where there are none.
#pragma once

#include "target/fd.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <linux/blkpg.h>
#include <linux/loop.h>
#include <stdexcept>
#include <string>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <utility>

namespace chronio::tests {

/// Ends the test program as skipped; to be called before anything was made. Exit status 77 is what
/// Meson takes for skipped.
[[noreturn]] inline void skip(const std::string& reason) {
  std::printf("skipped: %s\n", reason.c_str());
  std::fflush(stdout);
  std::_Exit(77);
}

/// Runs a command by the shell, without its output; returns its exit status, -1 when a signal ended
/// it.
inline int run(const std::string& command) {
  const int status = std::system((command + " >/dev/null 2>&1").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// A step that a test can't do without: throws std::runtime_error when it fails.
inline void make(const std::string& command) {
  if (run(command) != 0) throw std::runtime_error("failed: " + command);
}

/// Skips where these tests can't run: without root, loop devices or the programs that make file
/// systems.
inline void needs_loop_devices() {
  if (::geteuid() != 0) skip("needs root");
  if (!target::Fd::open("/dev/loop-control", O_RDWR).ok()) skip("needs loop devices");
  for (const char* program : {"mkfs.ext4", "mkswap"})
    if (run(std::string("command -v ") + program) != 0) skip(std::string("needs ") + program);
}

/// A loop device on `file`, read-write. The kernel detaches it when its descriptor closes, so also
/// when the test crashes. `file` has to have its size already. Throws std::runtime_error.
class LoopDevice {
 public:
  explicit LoopDevice(const std::string& file) {
    const target::Fd backing = target::Fd::open(file, O_RDWR);
    const target::Fd control = target::Fd::open("/dev/loop-control", O_RDWR);
    if (!backing.ok() || !control.ok()) throw std::runtime_error("no loop device for " + file);
    // Somebody else may take the free one first; a few tries find another.
    for (int attempt = 0; attempt < 16; ++attempt)
      if (attach(::ioctl(control.get(), LOOP_CTL_GET_FREE), backing.get())) return;
    throw std::runtime_error("no free loop device");
  }

  /// "/dev/loopN".
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  /// Tells the kernel of a partition, in bytes; returns its path. Needs no partition table, nor a
  /// kernel that reads such. It goes with the device. Once for a device. Throws std::runtime_error.
  /// Source: ioctl BLKPG of linux/blkpg.h.
  [[nodiscard]] std::string add_partition(long long start, long long length) const {
    blkpg_partition partition = {};
    partition.start = start;
    partition.length = length;
    partition.pno = 1;
    blkpg_ioctl_arg request = {BLKPG_ADD_PARTITION, 0, sizeof partition, &partition};
    if (::ioctl(fd_.get(), BLKPG, &request) != 0)
      throw std::runtime_error("no partition on " + path_);
    return path_ + "p1";
  }

 private:
  // AUTOCLEAR, so that nobody has to detach it; PARTSCAN, so that partitions may be added.
  bool attach(int number, int backing) {
    path_ = "/dev/loop" + std::to_string(number);
    fd_ = target::Fd::open(path_, O_RDWR);
    loop_config config = {};
    config.fd = static_cast<std::uint32_t>(backing);
    config.info.lo_flags = LO_FLAGS_AUTOCLEAR | LO_FLAGS_PARTSCAN;
    return fd_.ok() && ::ioctl(fd_.get(), LOOP_CONFIGURE, &config) == 0;
  }

  std::string path_;
  target::Fd fd_;
};

/// An MBR with one partition of 6 MiB at 1 MiB: 512 bytes for the start of a device. Source: the
/// PC's master boot record, four entries of 16 bytes from byte 446 on, then 55 AA.
inline std::string partition_table() {
  std::string sector(512, '\0');
  constexpr std::size_t kEntry = 446;
  sector[kEntry + 4] = '\x83';   // Linux
  sector[kEntry + 9] = '\x08';   // first sector 2048, little endian
  sector[kEntry + 13] = '\x30';  // 12288 sectors
  sector[510] = '\x55';
  sector[511] = '\xAA';
  return sector;
}

}  // namespace chronio::tests

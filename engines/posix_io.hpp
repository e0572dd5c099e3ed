// posix_io.hpp: what the engines made of plain system calls share.
#pragma once

#include "engines/engine.hpp"

#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace chronio {

/// Makes the system call `call` until no signal interrupts it: the contract wants signals to end no
/// request. What it returned, or -errno. `call` takes nothing and answers below 0 with errno set.
template <class Call>
[[nodiscard]] std::int64_t uninterrupted(Call call) noexcept {
  for (;;) {
    const std::int64_t returned = call();
    if (returned >= 0) return returned;
    if (errno != EINTR) return -errno;
  }
}

/// [setup] Whether the run itself made all of the files: what destroys them demands it once more,
/// whatever the plan allowed. An engine may also be driven by another program than chronio.
[[nodiscard]] inline bool all_laid_out(const Setup& setup) noexcept {
  for (std::uint32_t i = 0; i < setup.file_count; ++i)
    if (!setup.file(i).laid_out) return false;
  return true;
}

/// Io::result of a trim: bytes, or -errno. A block device is told to discard, a file gets a hole
/// and keeps its size. The device is asked first: its fallocate(2) would write zeroes instead. A
/// file answers ENOTTY, which costs little beside the hole. Waits for the device.
[[nodiscard]] inline std::int64_t trim(int fd, const Io& io) noexcept {
  // BLKDISCARD takes start and length in bytes.
  std::uint64_t range[2] = {io.offset, io.len};
  std::int64_t error = uninterrupted([&] { return ioctl(fd, BLKDISCARD, range); });
  if (error == -ENOTTY) {
    error = uninterrupted([&] {
      return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                       static_cast<off_t>(io.offset), io.len);
    });
  }
  return error < 0 ? error : io.len;
}

/// Io::result of a request that moves no data: trim (bytes), fsync and fdatasync (0), or -errno;
/// other directions are -EOPNOTSUPP. Blocks, so an asynchronous engine answers `completed`.
[[nodiscard]] inline std::int64_t without_data(int fd, const Io& io) noexcept {
  switch (io.ddir) {
    case Ddir::trim: return trim(fd, io);
    case Ddir::sync: return uninterrupted([fd] { return fsync(fd); });
    case Ddir::datasync: return uninterrupted([fd] { return fdatasync(fd); });
    default: return -EOPNOTSUPP;
  }
}

}  // namespace chronio

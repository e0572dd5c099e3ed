// posix_io.hpp: what the engines made of plain system calls share.
#pragma once

#include "engines/engine.hpp"

#include <cerrno>
#include <cstdint>
#include <unistd.h>

namespace chronio {

/// Makes the system call `call` until no signal interrupts it. What it returned, or -errno.
template <class Call>
[[nodiscard]] std::int64_t uninterrupted(Call call) noexcept {
  for (;;) {
    const std::int64_t returned = call();
    if (returned >= 0) return returned;
    if (errno != EINTR) return -errno;
  }
}

/// Io::result of a request that transfers nothing: fsync and fdatasync; others are -EOPNOTSUPP.
[[nodiscard]] inline std::int64_t synchronize(int fd, Ddir ddir) noexcept {
  switch (ddir) {
    case Ddir::sync: return uninterrupted([fd] { return fsync(fd); });
    case Ddir::datasync: return uninterrupted([fd] { return fdatasync(fd); });
    default: return -EOPNOTSUPP;
  }
}

}  // namespace chronio

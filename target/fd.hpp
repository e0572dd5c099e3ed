// fd.hpp: a file descriptor that is closed when its owner goes.
#pragma once

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <unistd.h>
#include <utility>

namespace chronio::target {

/// Owns one descriptor, or none. Moves, does not copy; close(2)'s errors are lost, so what is
/// written is synced before.
class Fd {
 public:
  Fd() = default;
  /// Takes `fd` over; below 0: none.
  explicit Fd(int fd) noexcept : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(other.release()) {}
  /// The old descriptor is closed with `other`.
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);
  }

  /// open(2) with O_CLOEXEC; `mode` counts only with O_CREAT. Not ok() leaves the reason in errno.
  static Fd open(const std::string& path, int flags, mode_t mode = 0) noexcept {
    return Fd(::open(path.c_str(), flags | O_CLOEXEC, mode));
  }

  [[nodiscard]] bool ok() const noexcept { return fd_ >= 0; }
  /// Stays owned. Below 0: none.
  [[nodiscard]] int get() const noexcept { return fd_; }
  /// Hands the descriptor to the caller, who closes it.
  [[nodiscard]] int release() noexcept { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

}  // namespace chronio::target

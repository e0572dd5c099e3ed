// signals.hpp: SIGINT and SIGTERM as something to poll for, so that no handler ever runs.
#pragma once

#include <csignal>
#include <cstdint>
#include <string>

namespace chronio::runner {

/// Blocks SIGINT and SIGTERM (SIGHUP too) for this thread and all that it starts later; ignores
/// SIGPIPE and SIGXFSZ, whose errors come as EPIPE and EFBIG. Make it before any thread: a mask is
/// inherited, and one thread that has not blocked them gets the signal and ends the process.
/// Restores nothing.
class Signals {
 public:
  /// Throws std::system_error when there is no descriptor left.
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  Signals(Signals&&) = delete;
  Signals& operator=(Signals&&) = delete;

  /// Readable when a signal has come: for poll(2), beside other descriptors.
  [[nodiscard]] int fd() const noexcept { return fd_; }
  /// Takes what has come so far. Never waits.
  void take() noexcept;
  /// Signals taken. The kernel keeps one of a kind: two alike that come before take() are one.
  [[nodiscard]] std::uint32_t count() const noexcept { return count_; }
  /// "SIGINT", ... of the first one; empty before.
  [[nodiscard]] const std::string& first() const noexcept { return first_; }

 private:
  int fd_;
  std::uint32_t count_ = 0;
  std::string first_;
};

}  // namespace chronio::runner

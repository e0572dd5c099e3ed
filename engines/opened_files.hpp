// opened_files.hpp: descriptors of the files that an engine opens itself.
#pragma once

#include "engines/engine.hpp"
#include "engines/posix_io.hpp"

#include <algorithm>
#include <memory>
#include <new>

namespace chronio {

/// One descriptor for each file of a Setup, by its number. For engines with kOpensFiles, to which
/// the runner gives none. Nothing is closed by destruction: an engine's close() does that, and is
/// not called while requests are outstanding.
class OpenedFiles {
 public:
  /// [setup] Opens all of them; `flags` as open(2), close-on-exec is added; what is made has mode
  /// 0644. 0, or -errno with none left open, as Engine::open() promises.
  [[nodiscard]] int open(const Setup& setup, int flags) noexcept {
    fds_.reset(new (std::nothrow) int[setup.file_count]);
    if (!fds_) return -ENOMEM;
    for (count_ = 0; count_ < setup.file_count; ++count_) {
      const char* path = setup.file(count_).path;
      const std::int64_t fd =
          uninterrupted([&] { return ::open(path, flags | O_CLOEXEC | O_NOCTTY, 0644); });
      if (fd < 0) {
        close();
        return static_cast<int>(fd);
      }
      fds_[count_] = static_cast<int>(fd);
    }
    return 0;
  }

  /// [setup] Closes all that are open; a second call does nothing.
  void close() noexcept {
    while (count_ > 0) ::close(fds_[--count_]);
  }

  /// [hot] REQUIRES: file < Setup::file_count, after open().
  [[nodiscard]] int fd(std::uint32_t file) const noexcept { return fds_[file]; }

 private:
  std::unique_ptr<int[]> fds_;
  std::uint32_t count_ = 0;
};

}  // namespace chronio

// growing_file.hpp: a file that is created or extended, and goes back to what it was when that
// fails.
#pragma once

#include "target/fd.hpp"
#include "target/target.hpp"

#include <cstdint>
#include <string>

namespace chronio::target {

class GrowingFile {
 public:
  /// Opens for writing what was seen there: a regular file, or nothing, which is created (mode
  /// 0644). Throws Error, also when something else is there by now.
  explicit GrowingFile(const Target& seen);
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;
  GrowingFile(GrowingFile&&) = delete;
  GrowingFile& operator=(GrowingFile&&) = delete;
  /// Unless keep() was called, removes a file that was created here and cuts another back.
  ~GrowingFile();

  [[nodiscard]] int fd() const noexcept { return fd_.get(); }
  /// Size when it was opened.
  [[nodiscard]] std::uint64_t old_bytes() const noexcept { return old_bytes_; }

  /// Throws Error, naming the bytes needed and those there are, when `bytes` are more than `ulimit
  /// -f`, a file's size or the free space allow. REQUIRES: bytes >= old_bytes().
  void check_room(std::uint64_t bytes) const;

  void keep() noexcept { kept_ = true; }

 private:
  [[nodiscard]] bool is_still_ours() const noexcept;

  std::string path_;
  bool created_ = false;
  Fd fd_;
  std::uint64_t old_bytes_ = 0;
  bool kept_ = false;
};

}  // namespace chronio::target

// growing_file.hpp: a file that is created or extended, and goes back to what it was when that
// fails.
#pragma once

#include "target/fd.hpp"
#include "target/target.hpp"

#include <cstdint>
#include <string>

namespace chronio::target {

/// Undoes what it did unless keep() is called: whatever goes wrong in between, also an exception,
/// leaves the file as it was, or none.
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

  /// Open for writing, not direct; stays owned.
  [[nodiscard]] int fd() const noexcept { return fd_.get(); }
  /// Size when it was opened, 0 of one that was created.
  [[nodiscard]] std::uint64_t old_bytes() const noexcept { return old_bytes_; }

  /// Throws Error, naming the bytes needed and those there are, when `bytes` are more than `ulimit
  /// -f`, a file's size or the free space allow. REQUIRES: bytes >= old_bytes().
  void check_room(std::uint64_t bytes) const;

  /// All went well: the file stays as it is now.
  void keep() noexcept { kept_ = true; }

 private:
  /// The name still leads to the file that was created here.
  [[nodiscard]] bool is_still_ours() const noexcept;

  std::string path_;
  bool created_ = false;
  Fd fd_;
  std::uint64_t old_bytes_ = 0;
  bool kept_ = false;
};

}  // namespace chronio::target

// output.hpp: puts a result where the user wants it without losing an older one.
#pragma once

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace chronio::results {

/// A result can't be put where it should go; what() names path, cause and cure.
struct OutputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Where a result will go. Checked when made, before the first I/O; written once at the end.
class Output {
 public:
  /// Symbolic links are resolved. An absent path or a regular file is written beside and renamed (mode and
  /// owner kept); a character device, FIFO or socket is written in place. A block device, a directory, a
  /// folder that is missing or not writable, and a path that is one of `targets` (by device and inode) are
  /// refused. Throws OutputError.
  Output(std::string path, std::span<const std::string> targets);

  /// Writes all of `text`; on failure (full disk) the older file stays and no temporary one does.
  /// Throws OutputError.
  void write(std::string_view text) const;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;      ///< as the user named it
  std::string resolved_;  ///< links followed
  bool in_place_ = false;
};

/// Writes all of `text` to standard output. Throws OutputError.
void write_stdout(std::string_view text);

}  // namespace chronio::results

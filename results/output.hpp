// output.hpp: puts a result where the user wants it without losing an older one.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace chronio::results {

/// A result can't be put where it should go; what() names path, cause and cure.
struct OutputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What stands where a result shall go, symbolic links followed. It is looked up once, before the
/// run.
struct Place {
  enum class Kind : std::uint8_t {
    file,        ///< absent or a regular file: written beside and renamed
    stream,      ///< character device, FIFO: opened and written at the end
    socket,      ///< connected to and written at the end
    descriptor,  ///< /dev/stdout and the like: an open descriptor of this process
  };
  Kind kind = Kind::file;
  std::string path;
  int fd = -1;  ///< of a descriptor
};

/// Where a result will go. Checked when made, before the first I/O; written once at the end.
class Output {
 public:
  /// Symbolic links are resolved. An absent path or a regular file is written beside and renamed
  /// (mode and owner kept); a character device, FIFO, socket or /dev/stdout is written in place.
  /// Refused are: a block device, a directory, a folder that is missing or not writable, a new file
  /// under /dev, a file that is write-protected, someone else's or a mount point (it could not be
  /// replaced as it is), and a path that is one of `targets`, by device and inode or, while neither
  /// is there, by resolved path. Opens nothing. Throws OutputError.
  Output(std::string path, std::span<const std::string> targets);

  /// Writes all of `text`; on failure (full disk) the older file stays and no temporary one does.
  /// A FIFO waits for its reader. REQUIRES: SIGXFSZ and SIGPIPE are ignored, else they end the
  /// process before it can clean up. Throws OutputError.
  void write(std::string_view text) const;

  /// As the user named it, for messages.
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;  ///< as the user named it
  Place place_;
};

/// Writes all of `text` to standard output, waiting where that is non-blocking. Throws OutputError,
/// as when nobody reads a pipe. The descriptor, not stdio: nothing may stay in a buffer when the
/// process ends by _exit(2).
void write_stdout(std::string_view text);

}  // namespace chronio::results

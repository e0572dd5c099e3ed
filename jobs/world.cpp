// world.cpp: the parser's way to real files and the real environment.
#include "jobs/parser.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace chronio::jobs {
namespace {

/// Closes at the end of its life.
class Descriptor {
 public:
  explicit Descriptor(const std::string& path) : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor(Descriptor&&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  [[nodiscard]] int get() const noexcept { return fd_; }

 private:
  int fd_;
};

/// Why a thing of this kind is no job file; null for files and pipes.
const char* wrong_kind(mode_t mode) {
  if (S_ISDIR(mode)) return "is a directory, not a job file";
  if (S_ISBLK(mode)) return "is a block device, not a job file";
  if (S_ISCHR(mode)) return "is a character device, not a job file";
  if (S_ISSOCK(mode)) return "is a socket, not a job file";
  return nullptr;
}

std::string errno_text() {
  const int error = errno;
  return strerrordesc_np(error) != nullptr ? strerrordesc_np(error)
                                           : fmt::format("error {}", error);
}

std::optional<std::string> read_file(const std::string& path, std::string& why) {
  struct stat status = {};
  // Before open: opening a device can have effects of its own.
  if (stat(path.c_str(), &status) != 0) {
    why = errno_text();
    return std::nullopt;
  }
  if (const char* kind = wrong_kind(status.st_mode)) {
    why = kind;
    return std::nullopt;
  }
  const Descriptor file(path);
  std::string text;
  std::string chunk(std::size_t{64} << 10, '\0');
  while (file.get() >= 0 && text.size() <= kLargestJobFile) {
    const ssize_t bytes = read(file.get(), chunk.data(), chunk.size());
    if (bytes == 0) return text;
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) break;
    text.append(chunk, 0, static_cast<std::size_t>(bytes));
  }
  why = text.size() > kLargestJobFile
            ? fmt::format("is over {} bytes, too large for a job file", kLargestJobFile)
            : errno_text();
  return std::nullopt;
}

std::optional<std::string> environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

}  // namespace

ParserWorld real_world() { return {read_file, environment}; }

}  // namespace chronio::jobs

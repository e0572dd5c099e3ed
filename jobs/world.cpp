// world.cpp: the parser's way to real files and the real environment.
#include "jobs/parser.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
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

/// What this kind of thing is called, in which no text stands; null for files and pipes. A block
/// device would be read for hours, a terminal wait for ever, before it proves to be no job file.
const char* kind_without_text(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISBLK(mode)) return "a block device";
  if (S_ISCHR(mode)) return "a character device";
  if (S_ISSOCK(mode)) return "a socket";
  return nullptr;
}

/// Not strerror(3): its text follows the locale, and messages are compared by tests.
std::string errno_text() {
  const int error = errno;
  return strerrordesc_np(error) != nullptr ? strerrordesc_np(error)
                                           : fmt::format("error {}", error);
}

/// Whether it is worth while to read again: after a signal, or where a descriptor that somebody
/// else made non-blocking has something now.
bool may_go_on(int fd) {
  if (errno == EINTR) return true;
  pollfd ready = {fd, POLLIN, 0};
  return errno == EAGAIN && (poll(&ready, 1, -1) > 0 || errno == EINTR);
}

/// `wanted`: what it should be: "job file". Read in pieces to the end, for a pipe has no size, and
/// files below /proc say 0. An `fd` below 0: why it could not be opened stands in errno.
std::optional<std::string> read_all(int fd, const char* wanted, std::string& why) {
  std::string text;
  std::string chunk(std::size_t{64} << 10, '\0');
  while (fd >= 0 && text.size() <= kLargestJobFile) {
    const ssize_t bytes = read(fd, chunk.data(), chunk.size());
    if (bytes == 0) return text;
    if (bytes > 0)
      text.append(chunk, 0, static_cast<std::size_t>(bytes));
    else if (!may_go_on(fd))
      break;
  }
  why = text.size() > kLargestJobFile
            ? fmt::format("is over {} bytes, too large for a {}", kLargestJobFile, wanted)
            : errno_text();
  return std::nullopt;
}

std::optional<std::string> read_file(const std::string& path, const char* wanted,
                                     std::string& why) {
  struct stat status = {};
  // Before open: opening a device can have effects of its own.
  if (stat(path.c_str(), &status) != 0) {
    why = errno_text();
    return std::nullopt;
  }
  if (const char* kind = kind_without_text(status.st_mode)) {
    why = fmt::format("is {}, not a {}", kind, wanted);
    return std::nullopt;
  }
  return read_all(Descriptor(path).get(), wanted, why);
}

/// Set but empty is a value, too.
std::optional<std::string> environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

}  // namespace

ParserWorld real_world(const char* wanted) {
  return {
      [wanted](const std::string& path, std::string& why) { return read_file(path, wanted, why); },
      environment};
}

// Whatever stands behind the descriptor: who names "-" means it, and a terminal is ended by ^D.
std::optional<std::string> read_standard_input(std::string& why) {
  return read_all(STDIN_FILENO, "job file", why);
}

}  // namespace chronio::jobs

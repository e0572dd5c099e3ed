// output.cpp: writes a result whole or not at all.
#include "results/output.hpp"

#include "results/output_path.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

namespace chronio::results {
namespace {

/// Closes at the end of its life. close() apart, because what it reports can be all that tells of a
/// lost write.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor(Descriptor&&) = delete;
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() { close(); }

  [[nodiscard]] int get() const { return fd_; }
  int close() {
    const int fd = std::exchange(fd_, -1);
    return fd < 0 ? 0 : ::close(fd);
  }

 private:
  int fd_;
};

/// A file beside the one to be replaced; removed unless it took that one's place. In the same
/// folder, for rename(2) works within one file system only, and the old file stays whole until the
/// moment at which the new one takes its name.
class Temporary {
 public:
  /// `mode`: narrowed by umask. Throws OutputError.
  Temporary(const std::string& folder, const std::string& path, mode_t mode) : fd_(-1) {
    for (int i = 0; fd_ < 0; ++i) {
      name_ = fmt::format("{}/.chronio-{}-{}.tmp", folder, ::getpid(), i);
      // O_EXCL: another run may write here at the same time, or a link may have been laid out.
      fd_ = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
      if (fd_ < 0 && errno != EEXIST)
        throw system_error(path, "can't create a file beside it", errno);
    }
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  Temporary(Temporary&&) = delete;
  Temporary& operator=(Temporary&&) = delete;
  ~Temporary() {
    if (fd_ >= 0) ::close(fd_);
    if (!name_.empty()) ::unlink(name_.c_str());
  }

  [[nodiscard]] int fd() const { return fd_; }

  /// Returns 0 or errno.
  int take_place_of(const std::string& resolved) {
    // close() reports what NFS could not write.
    if (::close(std::exchange(fd_, -1)) != 0) return errno;
    if (::rename(name_.c_str(), resolved.c_str()) != 0) return errno;
    name_.clear();
    return 0;
  }

 private:
  std::string name_;
  int fd_;
};

/// Returns 0 or errno. Waits where the descriptor is non-blocking. A pipe may take less than it was
/// given.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (written < 0 && errno == EAGAIN) {
      // Standard output is often a pipe that its reader made non-blocking.
      pollfd ready = {fd, POLLOUT, 0};
      if (::poll(&ready, 1, -1) < 0 && errno != EINTR) return errno;
    } else if (written < 0 && errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

/// Gives the new file the old one's owner and mode. Another group than ours can't always be kept;
/// then the group gets no right that the rest of the world does not have. Source: fchown(2): only
/// root may give a file away; anybody may give it to a group of his own.
int keep_owner_and_mode(int fd, const struct stat& old) {
  mode_t mode = old.st_mode & 07777;
  struct stat now = {};
  if (::fstat(fd, &now) != 0) return errno;
  if ((now.st_uid != old.st_uid || now.st_gid != old.st_gid) &&
      ::fchown(fd, old.st_uid, old.st_gid) != 0) {
    if (now.st_uid != old.st_uid) return errno;
    const mode_t world = (mode & S_IRWXO) << 3U;
    mode = (mode & ~static_cast<mode_t>(S_IRWXG | S_ISGID)) | (mode & S_IRWXG & world);
  }
  return ::fchmod(fd, mode) == 0 ? 0 : errno;
}

/// The new name is in the folder, which has to reach the disk as well.
void sync_folder(const std::string& folder) {
  const Descriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() >= 0) ::fsync(fd.get());  // the file is whole either way; some file systems can't
}

void replace_file(const std::string& path, const std::string& resolved, std::string_view text) {
  struct stat old = {};
  const bool there = ::lstat(resolved.c_str(), &old) == 0;
  // Looked at again, for a run may have taken hours since the path was checked.
  if (there && !S_ISREG(old.st_mode))
    throw OutputError(path + ": is no regular file any more; nothing was written");
  const std::string folder = resolved.substr(0, resolved.rfind('/') + 1);
  // A file that was private must be so from its first byte on.
  Temporary temporary(folder, path, there ? 0600 : 0666);
  int error = there ? keep_owner_and_mode(temporary.fd(), old) : 0;
  if (error == 0) error = write_all(temporary.fd(), text);
  // Before the rename: after a crash the name would else stand for an empty file.
  if (error == 0 && ::fsync(temporary.fd()) != 0) error = errno;
  if (error == 0) error = temporary.take_place_of(resolved);
  if (error != 0) throw system_error(path, "not written", error);
  sync_folder(folder);
}

void write_stream(const std::string& path, const std::string& resolved, std::string_view text) {
  // No O_TRUNC and no O_CREAT: what stands here is no regular file. O_NOCTTY: nor shall a terminal
  // become ours.
  Descriptor fd(::open(resolved.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  int error = fd.get() < 0 ? errno : write_all(fd.get(), text);
  if (error == 0 && fd.close() != 0) error = errno;
  if (error != 0) throw system_error(path, "not written", error);
}

void write_socket(const std::string& path, const std::string& resolved, std::string_view text) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  // Source: unix(7): 108 bytes with the NUL. A cut path would be another socket's.
  if (resolved.size() >= sizeof(address.sun_path))
    throw system_error(path, "not written", ENAMETOOLONG);
  std::memcpy(address.sun_path, resolved.c_str(), resolved.size() + 1);
  const Descriptor fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (fd.get() < 0 ||
      ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
    throw system_error(path, "can't connect to it", errno);
  if (const int error = write_all(fd.get(), text)) throw system_error(path, "not written", error);
}

}  // namespace

Output::Output(std::string path, std::span<const std::string> targets)
    : path_(std::move(path)), place_(find_place(path_)) {
  refuse_targets(path_, place_, targets);
}

void Output::write(std::string_view text) const {
  switch (place_.kind) {
    case Place::Kind::file: return replace_file(path_, place_.path, text);
    case Place::Kind::stream: return write_stream(path_, place_.path, text);
    case Place::Kind::socket: return write_socket(path_, place_.path, text);
    case Place::Kind::descriptor:
      if (const int error = write_all(place_.fd, text))
        throw system_error(path_, "not written", error);
  }
}

void write_stdout(std::string_view text) {
  if (const int error = write_all(STDOUT_FILENO, text))
    throw system_error("standard output", "not written", error);
}

}  // namespace chronio::results

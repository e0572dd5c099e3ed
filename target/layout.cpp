// layout.cpp: creates or extends a file with incompressible data, or leaves no trace.
#include "target/layout.hpp"

#include "target/device_folder.hpp"
#include "target/fd.hpp"
#include "target/messages.hpp"
#include "target/target.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/core.h>
#include <limits>
#include <memory>
#include <span>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <vector>

namespace chronio::target {
namespace {

constexpr std::size_t kChunk = 1U << 20;
constexpr std::uint64_t kSyncEvery = 64 * kChunk;

/// Takes a file back to what it was before, unless keep() is called.
class Partial {
 public:
  Partial(const std::string& path, int fd, bool created, std::uint64_t old_bytes) noexcept
      : path_(path), fd_(fd), created_(created), old_bytes_(old_bytes) {}
  Partial(const Partial&) = delete;
  Partial& operator=(const Partial&) = delete;
  ~Partial() {
    if (kept_) return;
    if (!created_)
      static_cast<void>(::ftruncate(fd_, static_cast<off_t>(old_bytes_)) == 0);
    else if (is_still_ours())
      ::unlink(path_.c_str());
  }

  void keep() noexcept { kept_ = true; }

 private:
  /// Somebody may have put another file under this name meanwhile.
  [[nodiscard]] bool is_still_ours() const noexcept {
    struct stat ours = {};
    struct stat named = {};
    return ::fstat(fd_, &ours) == 0 && ::lstat(path_.c_str(), &named) == 0 &&
           ours.st_dev == named.st_dev && ours.st_ino == named.st_ino;
  }

  const std::string& path_;
  int fd_;
  bool created_;
  std::uint64_t old_bytes_;
  bool kept_ = false;
};

/// Numbered pieces of one endless random sequence (splitmix64 as a counter: Steele, Lea, Flood
/// 2014), so that no two blocks of any file are alike.
class Noise {
 public:
  Noise() noexcept {
    // Without entropy (an early boot) files would only resemble one another; nothing breaks.
    static_cast<void>(::getrandom(&counter_, sizeof counter_, GRND_NONBLOCK) > 0);
  }

  void fill(std::span<std::uint64_t> words) noexcept {
    for (std::uint64_t& word : words) {
      std::uint64_t z = counter_ += 0x9E3779B97F4A7C15U;
      z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
      z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
      word = z ^ (z >> 31);
    }
  }

 private:
  std::uint64_t counter_ = 0;
};

[[noreturn]] void refuse_create(const std::string& path, int error) {
  throw Error(error, create_failure(path, error));
}

/// Opens for writing, creating when absent; `created` tells which.
Fd open_or_create(const std::string& path, bool& created) {
  if (const auto reason =
          inspect(path).kind == Kind::absent ? why_not_creatable(path) : std::nullopt)
    throw Error(0, *reason);
  Fd fd = Fd::open(path, O_WRONLY | O_CREAT | O_EXCL, 0644);
  created = fd.ok();
  if (created) return fd;
  if (errno != EEXIST) refuse_create(path, errno);
  const Target target = inspect(path);
  if (target.kind != Kind::file)
    throw Error(0, fmt::format("{}: is no regular file, so it can't be laid out", path));
  return Fd(open_target(target, Access::write_only, false));
}

void check_limit(const std::string& path, std::uint64_t bytes) {
  rlimit limit = {};
  const bool limited = ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  // Beyond this limit write(2) raises SIGXFSZ, which would end the process.
  if (limited && bytes > limit.rlim_cur)
    throw Error(EFBIG, fmt::format("{}: needs {} bytes, but `ulimit -f` allows {}", path, bytes,
                                   limit.rlim_cur));
  if (bytes > static_cast<std::uint64_t>(std::numeric_limits<off_t>::max()))
    throw Error(EFBIG, fmt::format("{}: {} bytes are more than any file can have", path, bytes));
}

void check_space(const std::string& path, int fd, std::uint64_t needed) {
  struct statvfs space = {};
  // A tmpfs without a limit and some network file systems answer 0 blocks: nothing is known then.
  if (::fstatvfs(fd, &space) != 0 || space.f_blocks == 0) return;
  const std::uint64_t free = std::uint64_t{space.f_bavail} * space.f_frsize;
  if (needed > free)
    throw Error(ENOSPC, fmt::format("{}: needs {} more bytes, but {} has {} free", path, needed,
                                    folder_of(path), free));
}

/// Writes all of `data`; returns 0 or an errno.
int write_all(int fd, std::span<const std::byte> data, std::uint64_t offset) noexcept {
  while (!data.empty()) {
    const ssize_t n = ::pwrite(fd, data.data(), data.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (n == 0) return ENOSPC;
    data = data.subspan(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
  return 0;
}

/// Starts the write-back of what was just written, and now and then waits for it: so a stop is
/// never far away, and the last fsync short. Returns 0 or an errno.
int write_back(int fd, std::uint64_t offset, std::uint64_t length) noexcept {
  static_cast<void>(::sync_file_range(fd, static_cast<off_t>(offset), static_cast<off_t>(length),
                                      SYNC_FILE_RANGE_WRITE) == 0);
  const bool due = (offset + length) / kSyncEvery != offset / kSyncEvery;
  return due && ::fdatasync(fd) != 0 ? errno : 0;
}

struct Range {
  std::uint64_t begin, end;
};

void fill(const std::string& path, int fd, Range range, const std::atomic<bool>& stop,
          const std::function<void(std::uint64_t)>& progress) {
  std::vector<std::uint64_t> words(kChunk / sizeof(std::uint64_t));
  Noise noise;
  for (std::uint64_t at = range.begin; at < range.end;) {
    if (stop.load(std::memory_order_relaxed))
      throw Error(EINTR, fmt::format("{}: stopped while it was laid out", path));
    const auto length = std::min<std::uint64_t>(kChunk, range.end - at);
    noise.fill(words);
    int error = write_all(fd, std::as_bytes(std::span(words)).first(length), at);
    if (error == 0) error = write_back(fd, at, length);
    if (error != 0) throw Error(error, fill_failure(path, range.end, at, error));
    at += length;
    if (progress) progress(at - range.begin);
  }
}

}  // namespace

void lay_out(const std::string& path, std::uint64_t bytes, const std::atomic<bool>& stop,
             const std::function<void(std::uint64_t)>& progress) {
  bool created = false;
  const Fd fd = open_or_create(path, created);
  struct stat found = {};
  if (::fstat(fd.get(), &found) != 0) throw Error(errno, path + ": " + errno_text(errno));
  const auto old_bytes = static_cast<std::uint64_t>(found.st_size);
  Partial partial(path, fd.get(), created, old_bytes);
  if (old_bytes < bytes) {
    check_limit(path, bytes);
    check_space(path, fd.get(), bytes - old_bytes);
    fill(path, fd.get(), {old_bytes, bytes}, stop, progress);
    if (::fsync(fd.get()) != 0) throw Error(errno, fill_failure(path, bytes, bytes, errno));
    // Only a hint: where it fails, the plan's own drop_cache tries again.
    static_cast<void>(drop_cache(fd.get(), Kind::file));
  }
  partial.keep();
}

void create_empty(const std::string& path) {
  if (const auto reason = why_not_creatable(path)) throw Error(0, *reason);
  const Fd fd = Fd::open(path, O_WRONLY | O_CREAT | O_EXCL, 0644);
  if (!fd.ok()) refuse_create(path, errno);
}

}  // namespace chronio::target

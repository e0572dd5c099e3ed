// layout.cpp: creates or extends a file with incompressible data, or leaves no trace.
#include "target/layout.hpp"

#include "target/growing_file.hpp"
#include "target/messages.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <span>
#include <sys/random.h>
#include <vector>

namespace chronio::target {
namespace {

// 1 MiB: large enough for full speed, small enough that a stop is looked at all the time.
constexpr std::size_t kChunk = 1U << 20;
// 64 MiB: what may lie dirty behind the writer before it waits.
constexpr std::uint64_t kSyncEvery = 64 * kChunk;

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

/// Writes all of `data`; returns 0 or an errno.
int write_all(int fd, std::span<const std::byte> data, std::uint64_t offset) noexcept {
  while (!data.empty()) {
    const ssize_t n = ::pwrite(fd, data.data(), data.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    // Not to be expected of a regular file; without this the loop would not end.
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
  // Made anew for each chunk: repeated data would be deduplicated, and compress.
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

void lay_out(const Target& seen, std::uint64_t bytes, const std::atomic<bool>& stop,
             const std::function<void(std::uint64_t)>& progress) {
  GrowingFile file(seen);
  if (file.old_bytes() < bytes) {
    file.check_room(bytes);
    fill(seen.path, file.fd(), {file.old_bytes(), bytes}, stop, progress);
    // Written back before the run, or write-back would go on beneath its I/O; and a delayed error
    // shows here, where the file can still be removed.
    if (::fsync(file.fd()) != 0) throw Error(errno, fill_failure(seen.path, bytes, bytes, errno));
    // Only a hint: where it fails, the run drops the cache again.
    static_cast<void>(drop_cache(file.fd(), Kind::file));
  }
  file.keep();
}

}  // namespace chronio::target

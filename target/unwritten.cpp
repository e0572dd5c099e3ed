// unwritten.cpp: finds the parts of a file whose reads never reach the device.
#include "target/fd.hpp"
#include "target/layout.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <optional>
#include <span>
#include <sys/ioctl.h>
#include <sys/stat.h>

namespace chronio::target {
namespace {

/// A part of the file, in bytes.
struct Range {
  std::uint64_t begin, end;
};

std::uint64_t overlap(Range a, Range b) noexcept {
  const std::uint64_t begin = std::max(a.begin, b.begin);
  const std::uint64_t end = std::min(a.end, b.end);
  return begin < end ? end - begin : 0;
}

/// FIEMAP's header with the room for extents behind it, as ioctl wants them: in one piece.
class ExtentMap {
 public:
  /// Asks for the extents from `range.begin`; false where the file system can't tell.
  bool ask(int fd, Range range) noexcept {
    head().fm_start = range.begin;
    head().fm_length = range.end - range.begin;
    head().fm_flags = FIEMAP_FLAG_SYNC;  // else data still in the cache has no extent
    head().fm_extent_count = kRoom;
    return ::ioctl(fd, FS_IOC_FIEMAP, &head()) == 0;
  }

  [[nodiscard]] std::span<const fiemap_extent> extents() noexcept {
    return {head().fm_extents, std::min(head().fm_mapped_extents, kRoom)};
  }

 private:
  // Extents in one call; a file of more takes more calls.
  static constexpr std::uint32_t kRoom = 128;

  fiemap& head() noexcept { return *static_cast<fiemap*>(static_cast<void*>(bytes_.data())); }

  alignas(fiemap) std::array<std::byte, sizeof(fiemap) + kRoom * sizeof(fiemap_extent)> bytes_ = {};
};

/// Bytes of `range` that lie in written extents; nothing where the file system has no FIEMAP.
std::optional<std::uint64_t> written_by_fiemap(int fd, Range range) {
  std::uint64_t written = 0;
  ExtentMap map;
  while (range.begin < range.end) {
    if (!map.ask(fd, range)) return std::nullopt;
    // No extent behind range.begin: the rest is a hole.
    if (map.extents().empty()) break;
    for (const fiemap_extent& extent : map.extents()) {
      const Range covered = {extent.fe_logical, extent.fe_logical + extent.fe_length};
      if ((extent.fe_flags & FIEMAP_EXTENT_UNWRITTEN) == 0) written += overlap(range, covered);
      // Behind the last extent is nothing but a hole, so no call has to find that out.
      if ((extent.fe_flags & FIEMAP_EXTENT_LAST) != 0) return written;
      range.begin = std::max(range.begin, covered.end);
    }
  }
  return written;
}

/// The same by SEEK_DATA and SEEK_HOLE, which take unwritten extents with data in the cache for
/// data.
std::uint64_t written_by_seeking(int fd, Range range) {
  std::uint64_t written = 0;
  std::uint64_t at = range.begin;
  while (at < range.end) {
    const off_t data = ::lseek(fd, static_cast<off_t>(at), SEEK_DATA);
    // ENXIO: no data behind `at` (lseek(2)). Any other error: the file system can't tell, so all
    // counts as written.
    if (data < 0) return errno == ENXIO ? written : range.end - range.begin;
    const off_t hole = ::lseek(fd, data, SEEK_HOLE);
    if (hole < 0) return range.end - range.begin;
    const Range covered = {static_cast<std::uint64_t>(data), static_cast<std::uint64_t>(hole)};
    written += overlap(range, covered);
    at = covered.end;
  }
  return written;
}

}  // namespace

std::uint64_t unwritten_bytes(const std::string& path, std::uint64_t offset, std::uint64_t length) {
  const Fd fd = Fd::open(path, O_RDONLY | O_NONBLOCK);
  struct stat found = {};
  if (!fd.ok() || ::fstat(fd.get(), &found) != 0 || !S_ISREG(found.st_mode)) return 0;
  const auto size = static_cast<std::uint64_t>(found.st_size);
  if (offset >= size) return 0;
  const Range range = {offset, offset + std::min(length, size - offset)};
  const auto written = written_by_fiemap(fd.get(), range);
  const std::uint64_t total = range.end - range.begin;
  return total - std::min(total, written ? *written : written_by_seeking(fd.get(), range));
}

}  // namespace chronio::target

// mmap.cpp: copies to and from mapped files; msync(2) where others fsync.
#include "engines/engine.hpp"
#include "engines/option_decls.hpp"
#include "engines/posix_io.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <new>
#include <sys/mman.h>
#include <sys/stat.h>

namespace {

using namespace chronio;

enum Option : std::uint32_t { thp };

constexpr std::array kOptions{
    flag_option("thp", "ask for transparent huge pages (MADV_HUGEPAGE)"),
};

// A page that can't be read, or that the file has lost since it was mapped, raises SIGBUS in the
// copy: it becomes that request's EIO. Any other SIGBUS ends the process as ever.
thread_local sigjmp_buf* copying = nullptr;

extern "C" void chronio_mmap_bus_error(int signal) {
  if (copying != nullptr) siglongjmp(*copying, 1);
  std::signal(signal, SIG_DFL);
}

void catch_bus_errors() noexcept {
  struct sigaction action {};
  action.sa_handler = chronio_mmap_bus_error;
  action.sa_flags = SA_NODEFER;  // the jump leaves the handler, and no signal mask is restored
  sigaction(SIGBUS, &action, nullptr);
}

/// 0, or -EIO when a page was not to be had.
std::int64_t copy_or_fail(void* to, const void* from, std::size_t bytes) noexcept {
  // The mask is not saved (0): that would be a system call for each I/O.
  sigjmp_buf back;
  copying = &back;
  const int failed = sigsetjmp(back, 0);
  if (failed == 0) std::memcpy(to, from, bytes);
  copying = nullptr;
  return failed == 0 ? 0 : -EIO;
}

struct Mapping {
  std::byte* start = nullptr;
  std::uint64_t bytes = 0;
  bool direct = false;
};

/// Maps each file whole in open(). A read is what the CPU copies, page faults included: these are
/// where the device is waited for. Memory is the kernel's to write back, so a write is done when it
/// is copied; with direct=1, as with fio, when it is on the device.
class Mmap final : public Engine {
 public:
  int open(const Setup& setup) noexcept override {
    setup_ = setup;
    page_ = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    maps_.reset(new (std::nothrow) Mapping[setup.file_count]);
    if (!maps_) return -ENOMEM;
    // For the whole process, and set again by each worker: alike, so it does not matter who is
    // last.
    catch_bus_errors();
    for (count_ = 0; count_ < setup.file_count;) {
      const int error = map(setup.file(count_), maps_[count_]);
      // What was mapped counts even where the step behind it failed, so that close() unmaps it.
      if (maps_[count_].start != nullptr) ++count_;
      if (error == 0) continue;
      close();
      return error;
    }
    return 0;
  }

  Queued queue(Io& io) noexcept override {
    const Mapping& map = maps_[io.file];
    switch (io.ddir) {
      case Ddir::read:
      case Ddir::write: io.result = transfer(io, map); break;
      case Ddir::sync:
      case Ddir::datasync:
        // The whole mapping: fsync is of the whole file, too.
        io.result = uninterrupted([&] { return msync(map.start, map.bytes, MS_SYNC); });
        break;
      default: io.result = without_data(setup_.file(io.file).fd, io);
    }
    return Queued::completed;
  }

  void close() noexcept override {
    while (count_ > 0) {
      const Mapping& map = maps_[--count_];
      munmap(map.start, map.bytes);
    }
  }

 private:
  int map(const File& file, Mapping& out) const noexcept {
    struct stat found {};
    if (fstat(file.fd, &found) != 0) return -errno;
    out.bytes = file.size;
    out.direct = file.direct;
    if (S_ISREG(found.st_mode)) {
      const auto have = static_cast<std::uint64_t>(found.st_size);
      // A writer's file may still be short where the file system can't preallocate.
      const bool grows = have < file.size && file.access != Access::read_only;
      if (grows && ftruncate(file.fd, static_cast<off_t>(file.size)) != 0) return -errno;
      // Pages behind the end of a file can be mapped but not touched: SIGBUS.
      if (!grows) out.bytes = std::min(out.bytes, have);
    }
    // mmap(2) would say EINVAL, which names nothing.
    if (out.bytes == 0) return -ENODATA;
    const int protection = file.access == Access::read_only ? PROT_READ : PROT_READ | PROT_WRITE;
    const Readable readable(file);
    if (readable.fd < 0) return readable.fd;
    void* start = ::mmap(nullptr, out.bytes, protection, MAP_SHARED, readable.fd, 0);
    if (start == MAP_FAILED) return -errno;
    out.start = static_cast<std::byte*>(start);
    advise(out, file.advice);
    // Asked for by name, so a refusal is an error and not a hint that came to nothing.
    const bool huge = setup_.option(thp).number != 0;
    return huge && madvise(start, out.bytes, MADV_HUGEPAGE) != 0 ? -errno : 0;
  }

  /// What the kernel was told of the descriptor does not reach its mappings. Only a hint.
  static void advise(const Mapping& map, Advice advice) noexcept {
    if (advice == Advice::none) return;
    madvise(map.start, map.bytes, advice == Advice::random ? MADV_RANDOM : MADV_SEQUENTIAL);
  }

  /// A descriptor that may be mapped: the file's own, or for one opened for writing only, which
  /// mmap(2) refuses, another one of the same file.
  struct Readable {
    explicit Readable(const File& file) noexcept
        : fd(file.fd), is_own(file.access == Access::write_only) {
      if (!is_own) return;
      char path[32] = "/proc/self/fd/";
      char* end = path + std::strlen(path);
      *std::to_chars(end, path + sizeof path - 1, file.fd).ptr = '\0';
      fd = ::open(path, O_RDWR | O_CLOEXEC | O_NOCTTY);
      if (fd < 0) fd = -errno;
    }
    Readable(const Readable&) = delete;
    Readable& operator=(const Readable&) = delete;
    Readable(Readable&&) = delete;
    Readable& operator=(Readable&&) = delete;
    ~Readable() {
      if (is_own && fd >= 0) ::close(fd);
    }
    int fd;  ///< or -errno
    bool is_own;
  };

  [[nodiscard]] std::int64_t transfer(const Io& io, const Mapping& map) const noexcept {
    // Like read(2) at the end of a file: what is there is a short transfer, and 0 behind it.
    const std::uint64_t left = io.offset < map.bytes ? map.bytes - io.offset : 0;
    const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(io.len, left));
    std::byte* place = map.start + (map.bytes - left);
    const bool reads = io.ddir == Ddir::read;
    const std::int64_t error =
        reads ? copy_or_fail(io.buf, place, bytes) : copy_or_fail(place, io.buf, bytes);
    const std::int64_t written = map.direct && error == 0 ? let_go(place, bytes, reads) : error;
    return written < 0 ? written : static_cast<std::int64_t>(bytes);
  }

  /// A mapping has no direct I/O. What fio makes of it: what was written goes to the device at
  /// once, and each request has to map its pages anew. 0 or -errno.
  [[nodiscard]] std::int64_t let_go(std::byte* place, std::size_t bytes,
                                    bool reads) const noexcept {
    // Both calls begin on a page.
    const std::size_t before = reinterpret_cast<std::uintptr_t>(place) % page_;
    std::byte* start = place - before;
    const std::int64_t error =
        reads ? 0 : uninterrupted([&] { return msync(start, before + bytes, MS_SYNC); });
    madvise(start, before + bytes, MADV_DONTNEED);
    return error;
  }

  Setup setup_{};
  std::unique_ptr<Mapping[]> maps_;  // by file
  std::uint32_t count_ = 0;          // mapped
  std::size_t page_ = 0;             // bytes
};

}  // namespace

CHRONIO_ENGINE("mmap", Mmap, kSynchronous | kTrims | kMapsFiles,
               (std::span<const OptionDecl>{kOptions}),
               "memcpy to and from mapped files, msync(2)");

// sync.cpp: read(2) and write(2), after an lseek(2) unless the file already stands there: a
// sequential job on one file makes one system call for each I/O, a random one two.
#include "engines/engine.hpp"
#include "engines/posix_io.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <unistd.h>

namespace {

using namespace chronio;

class Sync final : public Engine {
 public:
  int open(const Setup& setup) noexcept override {
    setup_ = setup;
    positions_.reset(new (std::nothrow) std::uint64_t[setup.file_count]);
    if (!positions_) return -ENOMEM;
    std::fill_n(positions_.get(), setup.file_count, kUnknown);
    return 0;
  }

  Queued queue(Io& io) noexcept override {
    const int fd = setup_.file(io.file).fd;
    if (io.ddir == Ddir::read || io.ddir == Ddir::write) {
      std::uint64_t& position = positions_[io.file];
      io.result = position == io.offset ? 0 : seek(fd, io.offset);
      if (io.result == 0) io.result = transfer(fd, io);
      // read(2) leaves it open whether an error moves the descriptor, so the next request seeks
      // again.
      position = io.result < 0 ? kUnknown : io.offset + static_cast<std::uint64_t>(io.result);
    } else {
      io.result = without_data(fd, io);
    }
    return Queued::completed;
  }

 private:
  // No request has this offset, so the first one seeks: nothing says where the runner's descriptor
  // stands.
  static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};

  static std::int64_t seek(int fd, std::uint64_t offset) noexcept {
    return lseek(fd, static_cast<off_t>(offset), SEEK_SET) < 0 ? -errno : 0;
  }

  static std::int64_t transfer(int fd, const Io& io) noexcept {
    if (io.ddir == Ddir::read) return uninterrupted([&] { return read(fd, io.buf, io.len); });
    return uninterrupted([&] { return write(fd, io.buf, io.len); });
  }

  Setup setup_{};
  std::unique_ptr<std::uint64_t[]> positions_;  // bytes from the start, one for each file
};

constexpr std::span<const OptionDecl> kOptions;

}  // namespace

CHRONIO_ENGINE("sync", Sync, kSynchronous | kTrims, kOptions, "lseek(2), read(2) and write(2)");

// psync.cpp: pread(2) and pwrite(2), one request at a time. The default engine, as fio's.
#include "engines/engine.hpp"
#include "engines/posix_io.hpp"

#include <unistd.h>

namespace {

using namespace chronio;

class Psync final : public Engine {
 public:
  int open(const Setup& setup) noexcept override {
    setup_ = setup;
    return 0;
  }

  Queued queue(Io& io) noexcept override {
    // A short transfer is a result like any other: the runner asks for the rest.
    io.result = transfer(io, setup_.file(io.file).fd);
    return Queued::completed;
  }

 private:
  static std::int64_t transfer(const Io& io, int fd) noexcept {
    const auto offset = static_cast<off_t>(io.offset);
    switch (io.ddir) {
      case Ddir::read: return uninterrupted([&] { return pread(fd, io.buf, io.len, offset); });
      case Ddir::write: return uninterrupted([&] { return pwrite(fd, io.buf, io.len, offset); });
      default: return without_data(fd, io);
    }
  }

  Setup setup_{};
};

constexpr std::span<const OptionDecl> kOptions;

}  // namespace

CHRONIO_ENGINE("psync", Psync, kSynchronous | kTrims, kOptions, "pread(2) and pwrite(2)");

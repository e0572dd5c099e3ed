// pvsync.cpp: preadv(2) and pwritev(2), one request at a time. Beside psync it shows what a vector
// of one costs.
#include "engines/engine.hpp"
#include "engines/posix_io.hpp"

#include <sys/uio.h>

namespace {

using namespace chronio;

class Pvsync final : public Engine {
 public:
  int open(const Setup& setup) noexcept override {
    setup_ = setup;
    return 0;
  }

  Queued queue(Io& io) noexcept override {
    io.result = transfer(io, setup_.file(io.file).fd);
    return Queued::completed;
  }

 private:
  static std::int64_t transfer(const Io& io, int fd) noexcept {
    // On the stack: the call is over before it goes.
    const iovec whole{io.buf, io.len};
    const auto offset = static_cast<off_t>(io.offset);
    switch (io.ddir) {
      case Ddir::read: return uninterrupted([&] { return preadv(fd, &whole, 1, offset); });
      case Ddir::write: return uninterrupted([&] { return pwritev(fd, &whole, 1, offset); });
      default: return without_data(fd, io);
    }
  }

  Setup setup_{};
};

constexpr std::span<const OptionDecl> kOptions;

}  // namespace

CHRONIO_ENGINE("pvsync", Pvsync, kSynchronous | kTrims, kOptions, "preadv(2) and pwritev(2)");

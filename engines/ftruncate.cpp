// ftruncate.cpp: ftruncate(2): a write cuts or extends its file to the request's offset. Uses only
// files that the run itself made, whose data nobody misses.
#include "engines/engine.hpp"
#include "engines/posix_io.hpp"

namespace {

using namespace chronio;

class Ftruncate final : public Engine {
 public:
  int open(const Setup& setup) noexcept override {
    // The plan has refused foreign files already. A second look costs nothing, and what is cut off
    // can't be brought back.
    if (!all_laid_out(setup)) return -EPERM;
    setup_ = setup;
    return 0;
  }

  Queued queue(Io& io) noexcept override {
    const int fd = setup_.file(io.file).fd;
    io.result = io.ddir == Ddir::write ? truncate(io, fd) : -EOPNOTSUPP;
    if (io.ddir > Ddir::trim) io.result = without_data(fd, io);
    return Queued::completed;
  }

 private:
  static std::int64_t truncate(const Io& io, int fd) noexcept {
    const auto bytes = static_cast<off_t>(io.offset);
    const std::int64_t error = uninterrupted([&] { return ftruncate(fd, bytes); });
    return error < 0 ? error : io.len;
  }

  Setup setup_{};
};

constexpr std::span<const OptionDecl> kOptions;

}  // namespace

CHRONIO_ENGINE("ftruncate", Ftruncate, kSynchronous | kNoData | kNoReads | kOwnFiles, kOptions,
               "ftruncate(2) to the request's offset, of files that this run laid out");

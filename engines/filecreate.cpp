// filecreate.cpp: makes files that are not there, one for each request.
#include "engines/engine.hpp"
#include "engines/posix_io.hpp"

namespace {

using namespace chronio;

class FileCreate final : public Engine {
 public:
  int open(const Setup& setup) noexcept override {
    setup_ = setup;
    return 0;
  }

  Queued queue(Io& io) noexcept override {
    io.result = io.ddir <= Ddir::datasync ? 0 : -EOPNOTSUPP;  // a sync has nothing to do
    // Any direction makes the file: with one request for each file, rw= only chooses how it is
    // counted.
    if (io.ddir <= Ddir::trim) io.result = create(io, setup_.file(io.file).path);
    return Queued::completed;
  }

 private:
  static std::int64_t create(const Io& io, const char* path) noexcept {
    // O_EXCL: a file that somebody made meanwhile is an error, never reused. Mode 0600 as fio's
    // (engines/fileoperations.c).
    constexpr int kFlags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY;
    const std::int64_t fd = uninterrupted([&] { return ::open(path, kFlags, 0600); });
    if (fd < 0) return fd;
    // The close is part of what is measured, as in fio. After EINTR Linux has closed the descriptor
    // all the same (close(2)), so it must not be closed again.
    if (::close(static_cast<int>(fd)) != 0 && errno != EINTR) return -errno;
    return io.len;
  }

  Setup setup_{};
};

constexpr std::span<const OptionDecl> kOptions;

}  // namespace

CHRONIO_ENGINE("filecreate", FileCreate,
               kSynchronous | kNoData | kOpensFiles | kMakesFiles | kWholeFiles, kOptions,
               "open(2) and close(2) of new files, one for each I/O");

// falloc.cpp: fallocate(2): a write allocates blocks, a read does so beyond the end without making
// the file longer, a trim punches a hole. Moves no data.
#include "engines/engine.hpp"
#include "engines/opened_files.hpp"
#include "engines/posix_io.hpp"

namespace {

using namespace chronio;

class Falloc final : public Engine {
 public:
  // The engine opens its files itself so that they may be missing: kMakesFiles keeps the runner
  // from laying them out, since blocks that are there already leave nothing to allocate.
  int open(const Setup& setup) noexcept override { return files_.open(setup, O_RDWR | O_CREAT); }

  Queued queue(Io& io) noexcept override {
    io.result = allocate(io, files_.fd(io.file));
    return Queued::completed;
  }

  void close() noexcept override { files_.close(); }

 private:
  static std::int64_t allocate(const Io& io, int fd) noexcept {
    // fio's meaning of the directions (engines/falloc.c): a read must not make the file longer. The
    // kernel demands KEEP_SIZE with PUNCH_HOLE.
    int mode = FALLOC_FL_KEEP_SIZE;
    if (io.ddir == Ddir::write) mode = 0;
    if (io.ddir == Ddir::trim) mode |= FALLOC_FL_PUNCH_HOLE;
    if (io.ddir > Ddir::trim) return without_data(fd, io);
    const auto offset = static_cast<off_t>(io.offset);
    const std::int64_t error = uninterrupted([&] { return fallocate(fd, mode, offset, io.len); });
    // No data moves: the length says how much was asked for, and 0 would be an early end.
    return error < 0 ? error : io.len;
  }

  OpenedFiles files_;
};

constexpr std::span<const OptionDecl> kOptions;

}  // namespace

CHRONIO_ENGINE("falloc", Falloc, kSynchronous | kNoData | kOpensFiles | kMakesFiles | kTrims,
               kOptions, "fallocate(2); moves no data");

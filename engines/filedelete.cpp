// filedelete.cpp: removes files, one for each request: only those that the run itself made.
#include "engines/engine.hpp"
#include "engines/posix_io.hpp"

namespace {

using namespace chronio;

class FileDelete final : public Engine {
 public:
  int open(const Setup& setup) noexcept override {
    // The plan has refused foreign files already. A second look costs nothing, and unlink is final.
    if (!all_laid_out(setup)) return -EPERM;
    setup_ = setup;
    return 0;
  }

  Queued queue(Io& io) noexcept override {
    io.result = io.ddir <= Ddir::datasync ? 0 : -EOPNOTSUPP;  // a sync has nothing to do
    // Any direction removes the file: with one request for each, rw= only chooses how it is
    // counted.
    if (io.ddir <= Ddir::trim) {
      const char* path = setup_.file(io.file).path;
      io.result = uninterrupted([&] { return unlink(path); });
      if (io.result == 0) io.result = io.len;
    }
    return Queued::completed;
  }

 private:
  Setup setup_{};
};

constexpr std::span<const OptionDecl> kOptions;

}  // namespace

CHRONIO_ENGINE("filedelete", FileDelete,
               kSynchronous | kNoData | kOpensFiles | kOwnFiles | kWholeFiles, kOptions,
               "unlink(2) of files that this run laid out, one for each I/O");

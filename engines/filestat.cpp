// filestat.cpp: looks files up, one for each request. What the kernel's caches of names and inodes
// hold is answered without the disk.
#include "engines/engine.hpp"
#include "engines/posix_io.hpp"

#include <array>
#include <sys/stat.h>

namespace {

using namespace chronio;

enum Option : std::uint32_t { stat_type };
enum Call : std::uint8_t { by_stat, by_lstat, by_statx };

constexpr const char* kCalls[] = {"stat", "lstat", "statx", nullptr};
constexpr std::array kOptions{OptionDecl{"stat_type", OptionType::choice, OptionUnit::none, 0, 0,
                                         kCalls, "stat", "the system call that looks a file up"}};

class FileStat final : public Engine {
 public:
  int open(const Setup& setup) noexcept override {
    setup_ = setup;
    call_ = static_cast<Call>(setup.option(stat_type).number);
    return 0;
  }

  Queued queue(Io& io) noexcept override {
    io.result = io.ddir <= Ddir::datasync ? 0 : -EOPNOTSUPP;  // a sync has nothing to do
    if (io.ddir <= Ddir::trim) io.result = look_up(setup_.file(io.file).path);
    if (io.result == 0) io.result = io.len;
    return Queued::completed;
  }

 private:
  [[nodiscard]] std::int64_t look_up(const char* path) const noexcept {
    // Not initialised: the kernel fills them, nobody reads them, and clearing statx's 256 bytes
    // would be part of what is measured.
    struct stat found;
    struct statx more;
    switch (call_) {
      case by_stat: return uninterrupted([&] { return stat(path, &found); });
      case by_lstat: return uninterrupted([&] { return lstat(path, &found); });
      case by_statx:
        // Everything is asked for, so that file systems that answer by parts (network ones) do all
        // of it.
        return uninterrupted([&] { return statx(AT_FDCWD, path, 0, STATX_ALL, &more); });
    }
    return -EOPNOTSUPP;
  }

  Setup setup_{};
  Call call_ = by_stat;
};

}  // namespace

CHRONIO_ENGINE("filestat", FileStat, kSynchronous | kNoData | kOpensFiles | kWholeFiles,
               (std::span<const OptionDecl>{kOptions}), "stat(2) of files, one for each I/O");

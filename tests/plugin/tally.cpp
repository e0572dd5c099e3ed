// tally.cpp: a test engine that does no I/O and writes down, at close(), what it was asked for.
#include "engines/engine.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fcntl.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

using namespace chronio;

constexpr std::array kNames{"read", "write", "trim", "sync", "datasync", "sync_file_range"};

/// Appends a line "ddir offset len" to `tally_file` for each request, in the order of queue().
/// Workers may share the file: each writes its lines in one piece. Grows while it runs, as no
/// measured engine may.
class Tally final : public Engine {
 public:
  int open(const Setup& setup) noexcept override {
    file_ = setup.option(0).text;
    pending_.reserve(setup.iodepth);
    asked_.reserve(1 << 16);
    return 0;
  }

  Queued queue(Io& io) noexcept override {
    const bool known = static_cast<std::size_t>(io.ddir) < kNames.size();
    if (known) asked_.push_back({io.ddir, io.offset, io.len});
    io.result = known ? std::int64_t{io.len} : -EOPNOTSUPP;
    pending_.push_back(&io);
    return Queued::pending;
  }

  int reap(std::uint32_t /*min*/, std::span<Io*> done, std::int64_t /*timeout*/) noexcept override {
    const auto count = std::min(pending_.size(), done.size());
    std::copy_n(pending_.begin(), count, done.begin());
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(count));
    return static_cast<int>(count);
  }

  void close() noexcept override {
    if (*file_ == '\0') return;
    std::string text;
    for (const Asked& one : asked_) {
      text += kNames.at(static_cast<std::size_t>(one.ddir));
      text += ' ' + std::to_string(one.offset) + ' ' + std::to_string(one.len) + '\n';
    }
    const int fd = ::open(file_, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    const bool written =
        fd >= 0 && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    if (!written) std::abort();  // a test must not go on without its tally
    ::close(fd);
  }

 private:
  struct Asked {
    Ddir ddir;
    std::uint64_t offset;
    std::uint32_t len;
  };
  const char* file_ = "";
  std::vector<Io*> pending_;
  std::vector<Asked> asked_;
};

constexpr OptionDecl kOptions[] = {{"tally_file", OptionType::text, OptionUnit::none, 0, 0, nullptr,
                                    "", "file that gets a line for each I/O; none when empty"}};

}  // namespace

CHRONIO_ENGINE("tally", Tally, kNoData | kDiskless, (std::span<const OptionDecl>{kOptions}),
               "does no I/O; writes down what it was asked for");

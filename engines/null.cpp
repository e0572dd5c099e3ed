// null.cpp: completes every request without touching a device. It measures chronio itself: what it
// reports is the runner's own overhead.
#include "engines/engine.hpp"

#include <algorithm>
#include <memory>
#include <new>

namespace {

using namespace chronio;

class Null final : public Engine {
 public:
  int open(const Setup& setup) noexcept override {
    // All memory is taken here: later hooks must not allocate, and none may throw.
    pending_.reset(new (std::nothrow) Io*[setup.iodepth]);
    end_ = pending_.get();
    return pending_ ? 0 : -ENOMEM;
  }

  Queued queue(Io& io) noexcept override {
    *end_++ = &io;
    io.result = io.len;
    if (io.ddir > Ddir::sync_file_range) [[unlikely]]
      refuse(io);
    return Queued::pending;
  }

  /// The oldest come back first.
  int reap(std::uint32_t /*min*/, std::span<Io*> done, std::int64_t /*timeout*/) noexcept override {
    Io** const pending = pending_.get();
    const std::size_t count = std::min(static_cast<std::size_t>(end_ - pending), done.size());
    // Not std::copy_n: a call of memmove costs more than a few requests.
#pragma GCC unroll 4
    for (std::size_t i = 0; i < count; ++i) done[i] = pending[i];
    if (pending + count != end_) [[unlikely]]
      keep_rest(count);
    else
      end_ = pending;
    return static_cast<int>(count);
  }

 private:
  // Out of line: in line, GCC 12 computes both results and chooses.
  [[gnu::noinline, gnu::cold]] static void refuse(Io& io) noexcept { io.result = -EOPNOTSUPP; }

  [[gnu::noinline, gnu::cold]] void keep_rest(std::size_t gone) noexcept {
    end_ = std::copy(pending_.get() + gone, end_, pending_.get());
  }

  std::unique_ptr<Io*[]> pending_;
  Io** end_ = nullptr;  ///< behind the last one that is pending
};

// An engine without options; io_uring.cpp shows how they are declared and read.
constexpr std::span<const OptionDecl> kOptions;

}  // namespace

CHRONIO_ENGINE("null", Null, kNoData | kDiskless | kTrims, kOptions,
               "does no I/O; measures chronio itself");

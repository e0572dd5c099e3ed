// pvsync2.cpp: preadv2(2) and pwritev2(2), whose flags can ask for polling, no waiting, no caching.
#include "engines/engine.hpp"
#include "engines/option_decls.hpp"
#include "engines/posix_io.hpp"

#include <array>
#include <sys/uio.h>

namespace {

using namespace chronio;

// The order of kOptions: Setup::option() is asked by these numbers.
enum Option : std::uint32_t { hipri, hipri_percentage, nowait, uncached, dsync };

constexpr std::array kOptions{
    flag_option("hipri", "poll for the completion (RWF_HIPRI); needs direct=1 and poll queues"),
    OptionDecl{"hipri_percentage", OptionType::number, OptionUnit::percent, 0, 100, nullptr, "100",
               "share of the I/Os that hipri polls for, in percent"},
    flag_option("nowait", "fail with EAGAIN where the call would have to wait (RWF_NOWAIT)"),
    flag_option("uncached", "leave nothing in the page cache (RWF_DONTCACHE, Linux 6.14)"),
    flag_option("dsync", "make each write durable before it counts as done (RWF_DSYNC)"),
};

constexpr int kDontCache = 0x80;  // RWF_DONTCACHE, since Linux 6.14: newer than the headers

class Pvsync2 final : public Engine {
 public:
  int open(const Setup& setup) noexcept override {
    setup_ = setup;
    if (set(hipri))
      polled_percent_ = static_cast<std::uint32_t>(setup.option(hipri_percentage).number);
    // A flag that the kernel or the file system does not know makes each request EOPNOTSUPP:
    // nothing is ever done without what was asked for.
    flags_ = (set(nowait) ? RWF_NOWAIT : 0) | (set(uncached) ? kDontCache : 0);
    // Only writes carry it: it means nothing to a read.
    write_flags_ = set(dsync) ? RWF_DSYNC : 0;
    return 0;
  }

  Queued queue(Io& io) noexcept override {
    io.result = transfer(io, setup_.file(io.file).fd);
    return Queued::completed;
  }

  /// How a polled call really ended, the kernel does not tell: it sleeps for the interrupt where
  /// the queue does not poll, and returns the same. So unknown where polling was asked for, 0
  /// elsewhere.
  void facts(Facts& out) const noexcept override { out.polled = polled_percent_ == 0 ? 0 : -1; }

 private:
  [[nodiscard]] bool set(Option id) const noexcept { return setup_.option(id).number != 0; }

  std::int64_t transfer(const Io& io, int fd) noexcept {
    const bool writes = io.ddir == Ddir::write;
    if (!writes && io.ddir != Ddir::read) return without_data(fd, io);
    const iovec whole{io.buf, io.len};
    const auto offset = static_cast<off_t>(io.offset);
    const int flags = flags_ | (next_is_polled() ? RWF_HIPRI : 0);
    return uninterrupted([&] {
      return writes ? pwritev2(fd, &whole, 1, offset, flags | write_flags_)
                    : preadv2(fd, &whole, 1, offset, flags);
    });
  }

  /// Spreads the polled I/Os evenly, as Bresenham's line does: fio draws them, which gives the same
  /// share in the long run. With hipri off the share is 0, and this is one addition and a test.
  bool next_is_polled() noexcept {
    share_ += polled_percent_;
    if (share_ < 100) return false;
    share_ -= 100;
    return true;
  }

  Setup setup_{};
  int flags_ = 0, write_flags_ = 0;
  std::uint32_t polled_percent_ = 0, share_ = 0;
};

}  // namespace

CHRONIO_ENGINE("pvsync2", Pvsync2, kSynchronous | kTrims, (std::span<const OptionDecl>{kOptions}),
               "preadv2(2) and pwritev2(2)");

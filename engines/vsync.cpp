// vsync.cpp: readv(2) and writev(2): requests that follow on each other go out as one call.
#include "engines/engine.hpp"
#include "engines/posix_io.hpp"

#include <algorithm>
#include <climits>
#include <memory>
#include <new>
#include <sys/uio.h>

namespace {

using namespace chronio;

/// Collects requests of one direction while each begins where the last one ended; commit() makes
/// the call. Anything else is busy until then, or done at once when nothing waits.
class Vsync final : public Engine {
 public:
  int open(const Setup& setup) noexcept override {
    setup_ = setup;
    most_ = std::min<std::uint32_t>(setup.iodepth, IOV_MAX);
    ios_.reset(new (std::nothrow) Io*[most_]);
    parts_.reset(new (std::nothrow) iovec[most_]);
    return ios_ && parts_ ? 0 : -ENOMEM;
  }

  Queued queue(Io& io) noexcept override {
    if (done_ > 0 || count_ == most_) return Queued::busy;
    const bool transfers = io.ddir == Ddir::read || io.ddir == Ddir::write;
    if (count_ > 0 && !(transfers && follows(io))) return Queued::busy;
    if (!transfers) {
      io.result = without_data(setup_.file(io.file).fd, io);
      return Queued::completed;
    }
    parts_[count_] = {io.buf, io.len};
    ios_[count_++] = &io;
    return Queued::pending;
  }

  void facts(Facts& out) const noexcept override { out.enter_calls = calls_; }

  int commit() noexcept override {
    if (count_ == 0 || done_ > 0) return 0;
    share_out(transfer());
    done_ = count_;
    return 0;
  }

  int reap(std::uint32_t /*min*/, std::span<Io*> done, std::int64_t /*timeout*/) noexcept override {
    const int error = commit();
    if (error < 0) return error;
    const auto count = static_cast<std::uint32_t>(std::min<std::size_t>(done_, done.size()));
    std::copy_n(ios_.get() + (count_ - done_), count, done.begin());
    done_ -= count;
    if (done_ == 0) count_ = 0;
    return static_cast<int>(count);
  }

 private:
  [[nodiscard]] bool follows(const Io& io) const noexcept {
    const Io& last = *ios_[count_ - 1];
    return io.ddir == last.ddir && io.file == last.file && io.offset == last.offset + last.len;
  }

  std::int64_t transfer() noexcept {
    const Io& first = *ios_[0];
    const int fd = setup_.file(first.file).fd;
    calls_ += 2;
    if (lseek(fd, static_cast<off_t>(first.offset), SEEK_SET) < 0) return -errno;
    const auto parts = static_cast<int>(count_);
    if (first.ddir == Ddir::read) {
      return uninterrupted([&] { return readv(fd, parts_.get(), parts); });
    }
    return uninterrupted([&] { return writev(fd, parts_.get(), parts); });
  }

  /// What the one call moved belongs to the requests in their order.
  void share_out(std::int64_t result) noexcept {
    for (Io* io : std::span(ios_.get(), count_)) {
      io->result = std::min<std::int64_t>(result, io->len);
      if (result > 0) result -= io->result;
    }
  }

  Setup setup_{};
  std::unique_ptr<Io*[]> ios_;
  std::unique_ptr<iovec[]> parts_;
  std::uint32_t most_ = 0;
  std::int64_t calls_ = 0;
  std::uint32_t count_ = 0;  // requests collected
  std::uint32_t done_ = 0;   // of these, transferred and not yet handed back
};

constexpr std::span<const OptionDecl> kOptions;

}  // namespace

CHRONIO_ENGINE("vsync", Vsync, kTrims | kBlocks, kOptions,
               "readv(2) and writev(2) of up to iodepth adjacent requests at once");

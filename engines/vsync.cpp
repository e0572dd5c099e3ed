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

/// Collects requests of one direction while each begins where the last one ended, until commit();
/// reap() makes the call, so that its time is completion latency. Anything else is busy until then,
/// or done at once when nothing waits. Not kSynchronous, since requests wait for each other, and
/// kBlocks, since reap() heeds no time limit while the call lasts.
class Vsync final : public Engine {
 public:
  int open(const Setup& setup) noexcept override {
    setup_ = setup;
    // A longer vector is EINVAL: 1024 buffers on Linux.
    most_ = std::min<std::uint32_t>(setup.iodepth, IOV_MAX);
    ios_.reset(new (std::nothrow) Io*[most_]);
    parts_.reset(new (std::nothrow) iovec[most_]);
    return ios_ && parts_ ? 0 : -ENOMEM;
  }

  Queued queue(Io& io) noexcept override {
    // After commit() the batch is closed, although the call is still to come: what joined it later
    // would have an issue stamp that others of its call have not.
    if (committed_ || count_ == most_) return Queued::busy;
    const bool transfers = io.ddir == Ddir::read || io.ddir == Ddir::write;
    if (count_ > 0 && !(transfers && follows(io))) return Queued::busy;
    if (!transfers) {
      io.result = without_data(setup_.file(io.file).fd, io);
      return Queued::completed;
    }
    // Counts up as calls move its bytes: transfer() begins behind what is done.
    io.result = 0;
    parts_[count_] = {io.buf, io.len};
    ios_[count_++] = &io;
    return Queued::pending;
  }

  void facts(Facts& out) const noexcept override { out.enter_calls = calls_; }

  int commit() noexcept override {
    // No call here: commit() lies between the start and issue stamps, and would be slat.
    committed_ = count_ > 0;
    return 0;
  }

  int reap(std::uint32_t /*min*/, std::span<Io*> done, std::int64_t /*timeout*/) noexcept override {
    // All of the batch at once, whatever `min` and `done` say; what finds no room in `done` stays
    // for the next reap().
    if (done_ == 0) {
      for (std::uint32_t first = 0; first < count_;) first = share_out(first, transfer(first));
      done_ = count_;
    }
    const auto count = static_cast<std::uint32_t>(std::min<std::size_t>(done_, done.size()));
    std::copy_n(ios_.get() + (count_ - done_), count, done.begin());
    done_ -= count;
    if (done_ == 0) {
      count_ = 0;
      committed_ = false;
    }
    return static_cast<int>(count);
  }

 private:
  [[nodiscard]] bool follows(const Io& io) const noexcept {
    const Io& last = *ios_[count_ - 1];
    return io.ddir == last.ddir && io.file == last.file && io.offset == last.offset + last.len;
  }

  /// One call for what is not moved yet of request `first`, and all behind it.
  std::int64_t transfer(std::uint32_t first) noexcept {
    const Io& io = *ios_[first];
    const int fd = setup_.file(io.file).fd;
    // readv(2) and writev(2) have no offset of their own: each call has a seek before it.
    calls_ += 2;
    if (lseek(fd, static_cast<off_t>(io.offset) + io.result, SEEK_SET) < 0) return -errno;
    const iovec* parts = parts_.get() + first;
    const auto count = static_cast<int>(count_ - first);
    if (io.ddir == Ddir::read) return uninterrupted([&] { return readv(fd, parts, count); });
    return uninterrupted([&] { return writev(fd, parts, count); });
  }

  /// What a call moved belongs to the requests in their order. Returns the first that another call
  /// is to be made for: why this one moved no more is not known, so those behind are not to blame.
  std::uint32_t share_out(std::uint32_t first, std::int64_t moved) noexcept {
    // 0 bytes or an error of a call that begins with `first`: no other request was reached.
    if (moved <= 0) {  // the answer to `first` alone, unless it came short
      if (ios_[first]->result == 0) ios_[first]->result = moved;
      return first + 1;
    }
    for (; first < count_; ++first) {
      iovec& part = parts_[first];
      const auto own = std::min(static_cast<std::size_t>(moved), part.iov_len);
      ios_[first]->result += static_cast<std::int64_t>(own);
      moved -= static_cast<std::int64_t>(own);
      part = {static_cast<std::byte*>(part.iov_base) + own, part.iov_len - own};
      if (part.iov_len != 0) break;
    }
    return first;
  }

  Setup setup_{};
  std::unique_ptr<Io*[]> ios_;
  std::unique_ptr<iovec[]> parts_;
  std::uint32_t most_ = 0;
  std::int64_t calls_ = 0;
  std::uint32_t count_ = 0;  // requests collected
  std::uint32_t done_ = 0;   // of these, transferred and not yet handed back
  bool committed_ = false;   // no more are collected
};

constexpr std::span<const OptionDecl> kOptions;

}  // namespace

CHRONIO_ENGINE("vsync", Vsync, kTrims | kBlocks, kOptions,
               "readv(2) and writev(2) of up to iodepth adjacent requests at once");

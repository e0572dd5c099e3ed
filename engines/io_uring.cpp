// io_uring.cpp: requests through an io_uring(7) ring of the worker's own.
#include "engines/engine.hpp"
#include "engines/option_decls.hpp"
#include "engines/posix_io.hpp"
#include "engines/uring_queue.hpp"

#include <array>
#include <memory>
#include <new>
#include <sys/uio.h>

namespace {

using namespace chronio;

enum Option : std::uint32_t { nonvectored = ring_options, force_async, nowait, uncached };

constexpr auto kOptions = with_ring_options(std::array{
    number_option(
        "nonvectored", -1, 1, "-1",
        "0: pass each buffer as a vector of one; 1: as it is; -1: as the kernel likes it"),
    number_option("force_async", 0, 1 << 30, "0",
                  "hand every Nth request to a kernel worker thread at once; 0: none"),
    flag_option("nowait", "fail with EAGAIN where a request would have to wait (RWF_NOWAIT)"),
    flag_option("uncached", "leave nothing in the page cache (RWF_DONTCACHE, Linux 6.14)"),
});

constexpr int kDontCache = 0x80;  // RWF_DONTCACHE, since Linux 6.14: newer than the headers

/// A completion's `res` means what Io::result means.
struct BytesOrErrno {
  std::int64_t operator()(const Io& /*io*/, int res) const noexcept { return res; }
};

class IoUring final : public Engine {
 public:
  int open(const Setup& setup) noexcept override {
    setup_ = setup;
    const UringWish wish = wish_of(setup);
    if (wish.polls && !all_direct()) return -EOPNOTSUPP;  // what every request would be answered
    if (wish.fixed_buffers) {
      // Registered buffers are pinned and mapped once, where each plain request has its pages
      // looked up. They take no vector, so nonvectored does not matter.
      opcodes_ = {IORING_OP_READ_FIXED, IORING_OP_WRITE_FIXED};
      buffer_mask_ = 0xffff;
      // READ and WRITE (Linux 5.6) spare the kernel the copying of a vector; this asks for the
      // older way, to measure the difference. With sqthread_poll the kernel's thread reads the
      // vectors when this one has gone on long since, so they stay.
    } else if (setup.option(nonvectored).number == 0) {
      opcodes_ = {IORING_OP_READV, IORING_OP_WRITEV};
      parts_.reset(new (std::nothrow) iovec[setup.iodepth]);
      if (!parts_) return -ENOMEM;
    }
    force_every_ = static_cast<std::uint32_t>(setup.option(force_async).number);
    if (setup.option(nowait).number != 0) flags_ |= RWF_NOWAIT;
    if (setup.option(uncached).number != 0) flags_ |= kDontCache;
    return queue_.open(setup, wish);
  }

  Queued queue(Io& io) noexcept override {
    const bool transfers = io.ddir == Ddir::read || io.ddir == Ddir::write;
    const bool syncs = io.ddir == Ddir::sync || io.ddir == Ddir::datasync;
    // A polled ring takes no fsync (EINVAL), and none takes a trim on every kernel: both are made
    // by plain calls at once. As fio, not while others wait to be handed over: their time would run
    // during the call, and a sync would come before the writes that it is about.
    if (!transfers && (queue_.wish().polls || !syncs)) {
      if (queue_.holds_new()) return Queued::busy;
      io.result = without_data(setup_.file(io.file).fd, io);
      return Queued::completed;
    }
    io_uring_sqe* sqe = queue_.next();
    // With iodepth entries and at most as many requests that happens only while the kernel's thread
    // of sqthread_poll has not freed those of the last batch.
    if (sqe == nullptr) return Queued::busy;
    if (transfers) {
      prepare_transfer(*sqe, io);
    } else {
      io_uring_prep_fsync(sqe, queue_.fd(io),
                          io.ddir == Ddir::datasync ? IORING_FSYNC_DATASYNC : 0);
      sqe->flags = queue_.flags();
    }
    // After the entry is whole: the flag is one more bit of it.
    if (force_every_ != 0) [[unlikely]]
      force(*sqe);
    queue_.add(*sqe, io);
    return Queued::pending;
  }

  int commit() noexcept override { return queue_.commit(); }

  int reap(std::uint32_t min, std::span<Io*> done, std::int64_t timeout_ns) noexcept override {
    return queue_.reap(min, done, timeout_ns);
  }

  void close() noexcept override { queue_.close(); }

  /// What the kernel hands to its workers of itself, it does not tell.
  void facts(Facts& out) const noexcept override {
    queue_.facts(out);
    if (force_every_ != 0) out.punts = forced_;
  }

 private:
  /// The kernel polls for direct I/O only.
  [[nodiscard]] bool all_direct() const noexcept {
    for (std::uint32_t i = 0; i < setup_.file_count; ++i) {
      if (!setup_.file(i).direct) return false;
    }
    return true;
  }

  /// Fields that no entry of ours sets are zero, as the kernel made the ring and as a prepared
  /// fsync leaves them.
  void prepare_transfer(io_uring_sqe& sqe, const Io& io) const noexcept {
    sqe.opcode = opcodes_[io.ddir == Ddir::write ? 1 : 0];
    sqe.flags = queue_.flags();
    sqe.ioprio = io.ioprio;
    sqe.fd = queue_.fd(io);
    sqe.off = io.offset;
    sqe.addr = reinterpret_cast<std::uintptr_t>(io.buf);
    sqe.len = io.len;
    sqe.rw_flags = flags_;
    sqe.buf_index = static_cast<std::uint16_t>(io.index & buffer_mask_);
    if (parts_) [[unlikely]] {
      iovec& part = parts_[io.index] = {io.buf, io.len};
      sqe.addr = reinterpret_cast<std::uintptr_t>(&part);
      sqe.len = 1;
    }
  }

  void force(io_uring_sqe& sqe) noexcept {
    if (++since_forced_ < force_every_) return;
    since_forced_ = 0;
    ++forced_;
    sqe.flags |= IOSQE_ASYNC;
  }

  Setup setup_{};
  UringQueue<BytesOrErrno> queue_;
  std::unique_ptr<iovec[]> parts_;  // by slot; only with nonvectored=0
  std::array<std::uint8_t, 2> opcodes_{IORING_OP_READ, IORING_OP_WRITE};
  std::uint32_t buffer_mask_ = 0;  // of the slot's number: no buffers are registered
  int flags_ = 0;                  // of preadv2(2)
  std::uint32_t force_every_ = 0, since_forced_ = 0;
  std::int64_t forced_ = 0;
};

}  // namespace

CHRONIO_ENGINE("io_uring", IoUring, kTrims, (std::span<const OptionDecl>{kOptions}),
               "Linux io_uring; asynchronous");

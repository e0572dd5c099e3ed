// libaio.cpp: Linux's own asynchronous I/O by io_submit(2) and io_getevents(2), without the library
// libaio, which hides the completion ring.
#include "engines/deadline.hpp"
#include "engines/engine.hpp"
#include "engines/option_decls.hpp"
#include "engines/posix_io.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <linux/aio_abi.h>
#include <memory>
#include <new>
#include <sys/syscall.h>
#include <sys/uio.h>

namespace {

using namespace chronio;

enum Option : std::uint32_t { userspace_reap, nowait, libaio_vectored };

constexpr std::array kOptions{
    flag_option("userspace_reap", "take completions from the ring without a system call"),
    flag_option("nowait", "fail with EAGAIN where a request would have to wait (RWF_NOWAIT)"),
    flag_option("libaio_vectored", "submit with a vector of one buffer (IOCB_CMD_PREADV)"),
};

/// What aio_context_t points to: struct aio_ring of the kernel's fs/aio.c, alike since Linux 2.6.
/// It is mapped into the process, and its io_event entries follow the header.
struct CompletionRing {
  std::uint32_t id, count, head, tail;
  std::uint32_t magic, compatible, incompatible, header_bytes;
};
// AIO_RING_MAGIC. The kernel promises no layout; where another value stands, completions are
// fetched by system call as if userspace_reap were off.
constexpr std::uint32_t kRingMagic = 0xa10a10a1;

class LibAio final : public Engine {
 public:
  int open(const Setup& setup) noexcept override {
    setup_ = setup;
    reaps_itself_ = setup.option(userspace_reap).number != 0;
    vectored_ = setup.option(libaio_vectored).number != 0;
    flags_ = setup.option(nowait).number != 0 ? RWF_NOWAIT : 0;
    const std::size_t depth = setup.iodepth;
    requests_.reset(new (std::nothrow) iocb[depth]{});
    unsent_.reset(new (std::nothrow) iocb*[depth]);
    parts_.reset(new (std::nothrow) iovec[depth]);
    events_.reset(new (std::nothrow) io_event[depth]);
    refused_.reset(new (std::nothrow) Io*[depth]);
    if (!requests_ || !unsent_ || !parts_ || !events_ || !refused_) return -ENOMEM;
    // EAGAIN: all of the machine's requests (fs.aio-max-nr) are taken.
    return static_cast<int>(result_of(syscall(SYS_io_setup, setup.iodepth, &context_)));
  }

  Queued queue(Io& io) noexcept override {
    // Trims, and what is newer than this engine: the interface has no command for them. As fio, not
    // while others wait to be handed over, whose time would run during the call.
    const bool knows = io.ddir <= Ddir::write || io.ddir == Ddir::sync || io.ddir == Ddir::datasync;
    if (!knows) {
      if (unsent_count_ > 0) return Queued::busy;
      io.result = without_data(setup_.file(io.file).fd, io);
      return Queued::completed;
    }
    iocb& request = requests_[io.index];
    prepare(request, io);
    unsent_[unsent_count_++] = &request;
    ++outstanding_;
    return Queued::pending;
  }

  int commit() noexcept override {
    std::uint32_t sent = 0;
    std::int64_t error = 0;
    // The call stops at the first request that it can't take, and tells its error only when that
    // one stands first: so what fails is always *unsent_[sent], and all others get another call.
    while (sent < unsent_count_ && error == 0) {
      ++calls_;
      const std::int64_t taken =
          result_of(syscall(SYS_io_submit, context_, unsent_count_ - sent, unsent_.get() + sent));
      if (taken >= 0) sent += static_cast<std::uint32_t>(taken);
      if (taken == -EAGAIN) error = taken;  // no room until some have ended
      if (taken < 0 && taken != -EAGAIN && taken != -EINTR) refuse(*unsent_[sent++], taken);
    }
    std::copy(unsent_.get() + sent, unsent_.get() + unsent_count_, unsent_.get());
    unsent_count_ -= sent;
    // With others under way EAGAIN passes; with none, nothing would ever make room.
    const bool can_wait = outstanding_ > unsent_count_;
    return error == 0 || can_wait ? 0 : static_cast<int>(error);
  }

  int reap(std::uint32_t min, std::span<Io*> done, std::int64_t timeout_ns) noexcept override {
    // Nothing may be waited for that was never sent.
    const int error = commit();
    if (error < 0) return error;
    std::uint32_t count = take_refused(done);
    count += take_from_ring(done.subspan(count));
    // The ring is looked at before the kernel is asked: with userspace_reap, enough of it is no
    // call.
    const bool enough =
        outstanding_ == 0 || count == done.size() || (reaps_itself_ && count >= min);
    if (enough) return static_cast<int>(count);
    return wait(timeout_ns == 0 ? 0 : min, done, count, Deadline(timeout_ns));
  }

  void close() noexcept override { static_cast<void>(syscall(SYS_io_destroy, context_)); }

  void facts(Facts& out) const noexcept override {
    out.polled = 0;
    out.enter_calls = calls_;
  }

 private:
  static std::int64_t result_of(long returned) noexcept { return returned < 0 ? -errno : returned; }

  static std::uint16_t opcode(Ddir ddir, bool vectored) noexcept {
    switch (ddir) {
      case Ddir::read: return vectored ? IOCB_CMD_PREADV : IOCB_CMD_PREAD;
      case Ddir::write: return vectored ? IOCB_CMD_PWRITEV : IOCB_CMD_PWRITE;
      case Ddir::datasync: return IOCB_CMD_FDSYNC;
      default: return IOCB_CMD_FSYNC;
    }
  }

  void prepare(iocb& request, Io& io) noexcept {
    const bool transfers = io.ddir <= Ddir::write;
    request = {};
    request.aio_data = reinterpret_cast<std::uintptr_t>(&io);
    request.aio_lio_opcode = opcode(io.ddir, vectored_);
    request.aio_fildes = static_cast<std::uint32_t>(setup_.file(io.file).fd);
    if (!transfers) return;
    request.aio_rw_flags = flags_;
    request.aio_offset = static_cast<std::int64_t>(io.offset);
    if (io.ioprio != 0) {
      request.aio_flags = IOCB_FLAG_IOPRIO;
      request.aio_reqprio = static_cast<std::int16_t>(io.ioprio);
    }
    iovec& part = parts_[io.index] = {io.buf, io.len};
    request.aio_buf =
        reinterpret_cast<std::uintptr_t>(vectored_ ? static_cast<void*>(&part) : io.buf);
    request.aio_nbytes = vectored_ ? 1 : io.len;
  }

  /// The kernel did not take the request: that is the request's own result. It waits beside the
  /// ring for the next reap(), since queue() has answered `pending` already.
  void refuse(const iocb& request, std::int64_t error) noexcept {
    Io* io = std::bit_cast<Io*>(request.aio_data);
    io->result = error;
    refused_[refused_count_++] = io;
  }

  std::uint32_t take_refused(std::span<Io*> done) noexcept {
    const auto count =
        static_cast<std::uint32_t>(std::min<std::size_t>(refused_count_, done.size()));
    // In any order: a stack is enough.
    for (Io*& io : done.first(count)) io = refused_[--refused_count_];
    outstanding_ -= count;
    return count;
  }

  Io* finished(const io_event& event) noexcept {
    Io* io = std::bit_cast<Io*>(event.data);
    io->result = event.res;
    --outstanding_;
    return io;
  }

  /// With userspace_reap: only this thread moves the head, the kernel moves the tail. Acquire on
  /// the tail: events are written before it moves. Release on the head: their places are read
  /// before the kernel may fill them again.
  std::uint32_t take_from_ring(std::span<Io*> done) noexcept {
    auto* ring = std::bit_cast<CompletionRing*>(context_);
    if (!reaps_itself_ || ring->magic != kRingMagic) return 0;
    const auto* events = reinterpret_cast<const io_event*>(ring + 1);
    const std::uint32_t tail = std::atomic_ref(ring->tail).load(std::memory_order_acquire);
    std::uint32_t head = ring->head;
    std::uint32_t count = 0;
    for (; head != tail && count < done.size(); ++count) {
      done[count] = finished(events[head]);
      head = head + 1 == ring->count ? 0 : head + 1;
    }
    std::atomic_ref(ring->head).store(head, std::memory_order_release);
    return count;
  }

  /// Looks at least once. With `count` requests in hand, returns how many there are then, or
  /// -errno.
  int wait(std::uint32_t min, std::span<Io*> done, std::uint32_t count,
           const Deadline& deadline) noexcept {
    int error = 0;
    do {
      error = get_events(count < min ? min - count : 0, done, count, deadline);
      if (error == 0) error = commit();
      count += take_refused(done.subspan(count));
    } while (error == 0 && count < min && !deadline.passed());
    return count > 0 || error == 0 ? static_cast<int>(count) : error;
  }

  /// One call. 0 or -errno; what it brought is added to `done` and `count`.
  int get_events(std::uint32_t min, std::span<Io*> done, std::uint32_t& count,
                 const Deadline& deadline) noexcept {
    // Not limited: a null pointer, for io_getevents(2) knows no other way to say for ever.
    const std::int64_t left = min == 0 ? 0 : deadline.limited() ? deadline.left_ns() : -1;
    timespec timeout{left / 1'000'000'000, left % 1'000'000'000};
    const std::size_t room = std::min<std::size_t>(done.size() - count, setup_.iodepth);
    ++calls_;
    const std::int64_t got =
        result_of(syscall(SYS_io_getevents, context_, std::min<std::size_t>(min, room), room,
                          events_.get(), left < 0 ? nullptr : &timeout));
    // The caller's loop looks at the deadline and waits on.
    if (got < 0) return got == -EINTR ? 0 : static_cast<int>(got);
    for (const io_event& event : std::span(events_.get(), static_cast<std::size_t>(got))) {
      done[count++] = finished(event);
    }
    return 0;
  }

  Setup setup_{};
  aio_context_t context_ = 0;
  bool reaps_itself_ = false, vectored_ = false;
  std::int32_t flags_ = 0;
  std::unique_ptr<iocb[]> requests_;  // by slot
  std::unique_ptr<iovec[]> parts_;    // by slot
  std::unique_ptr<iocb*[]> unsent_;   // queued, not submitted
  std::unique_ptr<Io*[]> refused_;    // the kernel did not take them
  std::unique_ptr<io_event[]> events_;
  std::uint32_t unsent_count_ = 0, refused_count_ = 0;
  std::uint32_t outstanding_ = 0;  // unsent and refused ones included
  std::int64_t calls_ = 0;
};

}  // namespace

CHRONIO_ENGINE("libaio", LibAio, kTrims | kBlocks, (std::span<const OptionDecl>{kOptions}),
               "Linux native AIO, by its own system calls; asynchronous with direct=1");

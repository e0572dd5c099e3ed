// null.cpp: completes every request without touching a device. It measures chronio itself: what it
// reports is the runner's own overhead.
#include "engines/engine.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <new>

namespace {

using namespace chronio;

class Null final : public Engine {
 public:
  int open(const Setup& setup) noexcept override {
    const std::size_t slots = std::bit_ceil(std::size_t{setup.iodepth});
    pending_.reset(new (std::nothrow) Io*[slots]);
    mask_ = slots - 1;
    return pending_ ? 0 : -ENOMEM;
  }

  Queued queue(Io& io) noexcept override {
    io.result = io.ddir <= Ddir::sync_file_range ? std::int64_t{io.len} : -EOPNOTSUPP;
    pending_[tail_++ & mask_] = &io;
    return Queued::pending;
  }

  int reap(std::uint32_t /*min*/, std::span<Io*> done, std::int64_t /*timeout*/) noexcept override {
    const std::size_t count = std::min(tail_ - head_, done.size());
    for (Io*& io : done.first(count)) io = pending_[head_++ & mask_];
    return static_cast<int>(count);
  }

 private:
  std::unique_ptr<Io*[]> pending_;  // a ring: the oldest request comes back first
  std::size_t head_ = 0, tail_ = 0, mask_ = 0;
};

constexpr std::span<const OptionDecl> kOptions;

}  // namespace

CHRONIO_ENGINE("null", Null, kNoData | kDiskless | kTrims, kOptions,
               "does no I/O; measures chronio itself");

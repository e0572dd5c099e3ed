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
    pending_.reset(new (std::nothrow) Io*[setup.iodepth]);
    return pending_ ? 0 : -ENOMEM;
  }

  Queued queue(Io& io) noexcept override {
    io.result = io.ddir <= Ddir::sync_file_range ? std::int64_t{io.len} : -EOPNOTSUPP;
    pending_[count_++] = &io;
    return Queued::pending;
  }

  /// The oldest come back first.
  int reap(std::uint32_t /*min*/, std::span<Io*> done, std::int64_t /*timeout*/) noexcept override {
    const std::size_t count = std::min(count_, done.size());
    Io* const* const pending = pending_.get();
    // Not std::copy_n: a call of memmove costs more than a few requests.
    for (std::size_t i = 0; i < count; ++i) done[i] = pending[i];
    if (count != count_) [[unlikely]]
      keep_rest(count);
    else
      count_ = 0;
    return static_cast<int>(count);
  }

 private:
  [[gnu::noinline, gnu::cold]] void keep_rest(std::size_t gone) noexcept {
    count_ -= gone;
    std::copy_n(pending_.get() + gone, count_, pending_.get());
  }

  std::unique_ptr<Io*[]> pending_;
  std::size_t count_ = 0;
};

constexpr std::span<const OptionDecl> kOptions;

}  // namespace

CHRONIO_ENGINE("null", Null, kNoData | kDiskless | kTrims, kOptions,
               "does no I/O; measures chronio itself");

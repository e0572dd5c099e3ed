// memory.cpp: an engine made outside the tree: it reads and writes memory of its own.
#include "engines/engine.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace {

using namespace chronio;

class Memory final : public Engine {
 public:
  int open(const Setup& setup) noexcept override {
    bytes_ = static_cast<std::uint64_t>(setup.option(0).number);
    memory_.reset(static_cast<std::byte*>(std::calloc(bytes_, 1)));
    return memory_ ? 0 : -ENOMEM;
  }

  Queued queue(Io& io) noexcept override {
    const std::uint64_t left = io.offset < bytes_ ? bytes_ - io.offset : 0;
    const std::uint64_t count = std::min<std::uint64_t>(io.len, left);
    std::byte* place = memory_.get() + (bytes_ - left);
    io.result = static_cast<std::int64_t>(count);
    switch (io.ddir) {
      case Ddir::read: std::memcpy(io.buf, place, count); break;
      case Ddir::write: std::memcpy(place, io.buf, count); break;
      case Ddir::sync:
      case Ddir::datasync: break;
      default: io.result = -EOPNOTSUPP;
    }
    if (io.ddir == Ddir::write && count < io.len) io.result = -ENOSPC;
    return Queued::completed;
  }

  void close() noexcept override { memory_.reset(); }

 private:
  struct Free {
    void operator()(std::byte* memory) const noexcept { std::free(memory); }
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::uint64_t bytes_ = 0;
};

constexpr OptionDecl kOptions[] = {{"memory_bytes", OptionType::number, OptionUnit::bytes, 1,
                                    std::int64_t{1} << 40, nullptr, "1048576",
                                    "memory of each worker in bytes"}};

}  // namespace

CHRONIO_ENGINE("memory", Memory, kSynchronous | kDiskless, (std::span<const OptionDecl>{kOptions}),
               "reads and writes memory of its own");

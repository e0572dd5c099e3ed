// broken.cpp: a test engine that breaks one rule of the contract, so that the conformance test is
// seen to find it.
#include "engines/engine.hpp"

#include <algorithm>
#include <memory>
#include <unistd.h>
#include <vector>

namespace {

using namespace chronio;

enum Fault : std::int64_t {
  none,
  twice,
  lost,
  stranger,
  overrun,
  touched,
  part,
  allocating,
  leaking,
  any_ddir,
  stuck,
  sync_fails,
};
constexpr const char* kFaults[] = {"none",    "twice",      "lost",       "stranger", "overrun",
                                   "touched", "part",       "allocating", "leaking",  "any_ddir",
                                   "stuck",   "sync_fails", nullptr};

class Broken final : public Engine {
 public:
  int open(const Setup& setup) noexcept override {
    fault_ = setup.option(0).number;
    pending_.reserve(setup.iodepth + 1);
    return fault_ == leaking && dup(STDERR_FILENO) < 0 ? -errno : 0;
  }

  Queued queue(Io& io) noexcept override {
    ++offers_;
    if (fault_ == stuck && offers_ > 4) return Queued::busy;
    io.result = result(io);
    if (fault_ == touched) io.offset += 512;
    if (fault_ == allocating) allocated_ = std::make_unique<std::uint64_t>(offers_);
    if (fault_ != lost || offers_ != 4) pending_.push_back(&io);
    return Queued::pending;
  }

  int reap(std::uint32_t /*min*/, std::span<Io*> done, std::int64_t /*timeout*/) noexcept override {
    if (pending_.empty()) return 0;
    if (fault_ == stranger) pending_.back() = &own_;
    const std::size_t room = fault_ == overrun ? pending_.size() : done.size();
    const auto count = std::min(pending_.size(), room);
    std::copy_n(pending_.begin(), count, done.data());
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(count));
    if (fault_ == twice) pending_.push_back(done.front());
    return static_cast<int>(count);
  }

 private:
  [[nodiscard]] std::int64_t result(const Io& io) const noexcept {
    if (io.ddir > Ddir::sync_file_range) return fault_ == any_ddir ? 0 : -EOPNOTSUPP;
    if (fault_ == sync_fails && io.ddir == Ddir::datasync) return -EINVAL;
    return fault_ == part && io.len > 0 ? io.len - 1 : io.len;
  }

  std::int64_t fault_ = none;
  std::uint64_t offers_ = 0;
  std::vector<Io*> pending_;
  std::unique_ptr<std::uint64_t> allocated_;
  Io own_{};
};

constexpr OptionDecl kOptions[] = {{"fault", OptionType::choice, OptionUnit::none, 0, 0, kFaults,
                                    "none", "the rule that it breaks"}};

}  // namespace

CHRONIO_ENGINE("broken", Broken, kNoData | kDiskless, (std::span<const OptionDecl>{kOptions}),
               "breaks a rule of the contract");

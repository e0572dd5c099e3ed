// faulty.cpp: a test engine that does no I/O and fails, stalls or hangs where its options say.
#include "engines/engine.hpp"

#include <algorithm>
#include <ctime>
#include <limits>
#include <vector>

namespace {

using namespace chronio;

enum Option : std::uint32_t {
  error_at,
  error_number,
  short_at,
  zero_at,
  busy_every,
  stall_at,
  stall_ms,
  hang_at,
  open_error,
};

constexpr OptionDecl number(const char* name, const char* fallback, const char* help) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  return {name, OptionType::number, OptionUnit::none, 0, kMost, nullptr, fallback, help};
}

constexpr OptionDecl kOptions[] = {
    number("error_at", "0", "this I/O of each worker fails (1: the first; 0: none)"),
    number("error_number", "5", "with this errno, or 4096 plus a device's status"),
    number("short_at", "0", "this I/O transfers half of its bytes"),
    number("zero_at", "0", "this I/O transfers nothing"),
    number("busy_every", "0",
           "every so many I/Os, one is refused once as busy while others are outstanding"),
    number("stall_at", "0", "this I/O ends late"),
    number("stall_ms", "0", "by so many milliseconds"),
    number("hang_at", "0", "this I/O never ends"),
    number("open_error", "0", "opening fails with this errno"),
};

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

std::int64_t now_ns() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

/// Until `ns` of CLOCK_MONOTONIC, or a signal.
void sleep_until(std::int64_t ns) noexcept {
  const timespec until{ns / 1'000'000'000, ns % 1'000'000'000};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
}

class Faulty final : public Engine {
 public:
  int open(const Setup& setup) noexcept override {
    setup_ = setup;
    pending_.reserve(setup.iodepth);
    return -static_cast<int>(option(open_error));
  }

  Queued queue(Io& io) noexcept override {
    const std::int64_t every = option(busy_every);
    const bool due_now = every != 0 && (accepted_ + 1) % every == 0;
    refused_ = due_now && !refused_ && !pending_.empty();
    if (refused_) return Queued::busy;
    ++accepted_;
    io.result = result(io);
    pending_.push_back({&io, due()});
    return Queued::pending;
  }

  int reap(std::uint32_t min, std::span<Io*> done, std::int64_t timeout_ns) noexcept override {
    const std::int64_t end = timeout_ns < 0 ? kNever : now_ns() + timeout_ns;
    std::uint32_t count = take(done);
    while (count < min && timeout_ns != 0 && now_ns() < end) {
      sleep_until(std::min(end, next_due()));
      count += take(done.subspan(count));
    }
    return static_cast<int>(count);
  }

 private:
  struct Pending {
    Io* io;
    std::int64_t due;  // ns of CLOCK_MONOTONIC; 0: at once
  };

  [[nodiscard]] std::int64_t option(Option id) const noexcept { return setup_.option(id).number; }
  [[nodiscard]] bool is_now(Option id) const noexcept { return accepted_ == option(id); }

  [[nodiscard]] std::int64_t result(const Io& io) const noexcept {
    if (io.ddir > Ddir::sync_file_range) return -EOPNOTSUPP;
    if (is_now(error_at)) return -option(error_number);
    if (is_now(zero_at)) return 0;
    return is_now(short_at) ? io.len / 2 : io.len;
  }

  [[nodiscard]] std::int64_t due() const noexcept {
    if (is_now(hang_at)) return kNever;
    return is_now(stall_at) ? now_ns() + option(stall_ms) * 1'000'000 : 0;
  }

  [[nodiscard]] std::int64_t next_due() const noexcept {
    std::int64_t next = kNever;
    for (const Pending& one : pending_) next = std::min(next, one.due);
    return next;
  }

  std::uint32_t take(std::span<Io*> done) noexcept {
    const std::int64_t now = next_due() == 0 ? 0 : now_ns();
    std::uint32_t count = 0;
    std::erase_if(pending_, [&](const Pending& one) {
      if (count == done.size() || one.due > now) return false;
      done[count++] = one.io;
      return true;
    });
    return count;
  }

  Setup setup_{};
  std::vector<Pending> pending_;
  std::int64_t accepted_ = 0;
  bool refused_ = false;
};

}  // namespace

CHRONIO_ENGINE("faulty", Faulty, kNoData | kDiskless, (std::span<const OptionDecl>{kOptions}),
               "does no I/O; fails where its options say");

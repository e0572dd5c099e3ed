// deadline.hpp: when a timed wait ends, kept across calls that return early.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <limits>

namespace chronio {

/// The end of a wait as Engine::reap() limits it. Reads CLOCK_MONOTONIC only where there is a
/// limit.
class Deadline {
 public:
  /// `timeout_ns` from now; below 0: never; 0: passed already.
  explicit Deadline(std::int64_t timeout_ns) noexcept : end_ns_(timeout_ns) {
    if (timeout_ns <= 0) return;
    const std::int64_t now = now_ns();
    end_ns_ = now + std::min(timeout_ns, std::numeric_limits<std::int64_t>::max() - now);
  }

  [[nodiscard]] bool limited() const noexcept { return end_ns_ >= 0; }
  /// 0 when it has passed. REQUIRES: limited().
  [[nodiscard]] std::int64_t left_ns() const noexcept {
    return end_ns_ == 0 ? 0 : std::max<std::int64_t>(end_ns_ - now_ns(), 0);
  }
  [[nodiscard]] bool passed() const noexcept { return limited() && left_ns() == 0; }

 private:
  static std::int64_t now_ns() noexcept {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1'000'000'000 + now.tv_nsec;
  }

  std::int64_t end_ns_;
};

}  // namespace chronio

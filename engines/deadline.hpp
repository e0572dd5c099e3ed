// deadline.hpp: when a timed wait ends, kept across calls that return early.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <limits>

namespace chronio {

/// The end of a wait as Engine::reap() limits it: all times in ns of CLOCK_MONOTONIC, the clock
/// that the kernel's own timeouts count in. Reads it only where there is a limit, so a closed loop
/// pays for no clock. Plain value; any thread.
class Deadline {
 public:
  /// `timeout_ns` from now; below 0: never; 0: passed already. Times beyond the range of the clock
  /// stop at its end, so that an absurd limit does not wrap round into the past.
  explicit Deadline(std::int64_t timeout_ns) noexcept : end_ns_(timeout_ns) {
    if (timeout_ns <= 0) return;
    const std::int64_t now = now_ns();
    end_ns_ = now + std::min(timeout_ns, std::numeric_limits<std::int64_t>::max() - now);
  }

  /// False: the wait may last for ever.
  [[nodiscard]] bool limited() const noexcept { return end_ns_ >= 0; }
  /// ns that are left, at least 0. Reads the clock unless the limit was 0. REQUIRES: limited().
  [[nodiscard]] std::int64_t left_ns() const noexcept {
    return end_ns_ == 0 ? 0 : std::max<std::int64_t>(end_ns_ - now_ns(), 0);
  }
  /// Whether a wait has to end, whatever it has got. Reads the clock where there is a limit.
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

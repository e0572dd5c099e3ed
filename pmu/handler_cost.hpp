// handler_cost.hpp: how long the overflow handler took, as counts in steps of an eighth of a power
// of two. May run in a signal handler.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace chronio::pmu {

/// Fixed memory; one thread at a time.
class HandlerCost {
 public:
  /// [hot] One call of the handler took `ns`. Longer than an hour counts as about an hour for
  /// percentiles.
  void add(std::uint64_t ns) noexcept {
    ++count_;
    total_ns_ += ns;
    ++steps_[step_of(ns)];
  }

  /// Exact.
  [[nodiscard]] std::uint64_t total_ns() const noexcept { return total_ns_; }

  /// Within an eighth above the true one; nothing when the handler never ran. ns. `percent` is from
  /// 0 to 100.
  [[nodiscard]] std::optional<std::uint64_t> percentile(double percent) const noexcept {
    if (count_ == 0) return std::nullopt;
    const auto rank = static_cast<std::uint64_t>(percent / 100 * static_cast<double>(count_ - 1));
    std::uint64_t seen = 0;
    std::size_t step = 0;
    while (step + 1 < kSteps && (seen += steps_[step]) <= rank) ++step;
    return upper(step);
  }

 private:
  /// Up to 2^42 ns.
  static constexpr std::size_t kSteps = std::size_t{8} * 40;

  /// Values below 8 have a step each; above, the three bits after the highest one choose it. The
  /// last step takes all that is longer.
  static std::size_t step_of(std::uint64_t ns) noexcept {
    if (ns < 8) return ns;
    const auto power = static_cast<unsigned>(std::bit_width(ns)) - 1;
    const std::size_t step = std::size_t{8} * (power - 3) + (ns >> (power - 3));
    return step < kSteps ? step : kSteps - 1;
  }
  /// Largest value in ns of a step.
  static std::uint64_t upper(std::size_t step) noexcept {
    if (step < 8) return step;
    return ((step % 8 + 9) << (step / 8 - 1)) - 1;
  }

  std::uint64_t count_ = 0, total_ns_ = 0;
  /// Calls by step.
  std::array<std::uint64_t, kSteps> steps_ = {};
};

}  // namespace chronio::pmu

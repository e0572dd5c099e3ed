// size_text.hpp: sizes as fio's users write them in options, for results that hold nothing but the
// text.
#pragma once

#include "results/run.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace chronio::results {

/// Bytes of "4096", "4k", "1M", "2gb", "4KiB" (1024 throughout, fio's default); nothing for any
/// other text.
[[nodiscard]] std::optional<std::uint64_t> size_of(std::string_view text);

/// Bytes per direction of fio's bs= ("4k" or "4k,8k" or "4k,,16k"): a missing one is as the one
/// before, an empty one fio's default of 4 KiB; all 0 for any other text.
[[nodiscard]] std::array<std::uint64_t, kDirections> block_sizes_of(std::string_view text);

}  // namespace chronio::results

// character.hpp: which character devices can be a target.
#pragma once

#include <cstdint>
#include <string>

namespace chronio::target {

/// `device`: a dev_t. /dev/null, zero, full, random, urandom: no data to lose, never waits.
[[nodiscard]] bool is_memory_device(std::uint64_t device) noexcept;

/// A memory device as above, or an NVMe generic one (/dev/ngXnY). All others (terminals, /dev/mem,
/// the NVMe controller) are refused: opening or reading them may wait forever, writing may do harm.
[[nodiscard]] bool is_usable_character_device(std::uint64_t device);

/// The sentence for the others; names those that can be used.
[[nodiscard]] std::string character_refusal(const std::string& path);

}  // namespace chronio::target

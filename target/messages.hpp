// messages.hpp: what an errno means for a target, in words that name the path and the cure.
#pragma once

#include "target/target.hpp"

#include <string>

namespace chronio::target {

/// The kernel's own sentence for an errno, without a number.
[[nodiscard]] std::string errno_text(int error);

/// Why opening `target` failed with `error`.
[[nodiscard]] std::string open_failure(const Target& target, Access access, bool direct, int error);

/// Why `path` could not be created.
[[nodiscard]] std::string create_failure(const std::string& path, int error);

/// Why `path` could not be filled to `bytes`; `done` of them were there.
[[nodiscard]] std::string fill_failure(const std::string& path, std::uint64_t bytes,
                                       std::uint64_t done, int error);

}  // namespace chronio::target

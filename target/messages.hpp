// messages.hpp: what an errno means for a target, in words that name the path and the cure.
#pragma once

#include "target/target.hpp"

#include <string>

namespace chronio::target {

/// The C library's sentence for an errno, without a number.
[[nodiscard]] std::string errno_text(int error);

/// Why opening `target` failed with `error`, an errno; `direct` and `access` are how it was tried.
/// Also for opens that were not made, when it is known how they would end.
[[nodiscard]] std::string open_failure(const Target& target, Access access, bool direct, int error);

/// Why `path` could not be created; `error`: an errno.
[[nodiscard]] std::string create_failure(const std::string& path, int error);

/// Why `path` could not be filled to `bytes`; `done` of them were there.
[[nodiscard]] std::string fill_failure(const std::string& path, std::uint64_t bytes,
                                       std::uint64_t done, int error);

}  // namespace chronio::target

// output_path.hpp: where an output path leads, looked at without opening anything. Internal to
// results.
#pragma once

#include "results/output.hpp"

#include <span>
#include <string>

namespace chronio::results {

/// "PATH: what: why" from errno value `error`. Returned, not thrown, so that the caller's throw is
/// seen where it happens.
[[nodiscard]] OutputError system_error(const std::string& path, const char* what, int error);

/// Follows symbolic links, also dangling ones, up to 40. Opens nothing. Throws OutputError when a
/// result can't be put there.
[[nodiscard]] Place find_place(const std::string& path);

/// Throws OutputError when `place` is one of `targets`, paths of what jobs read and write: compared
/// by device and inode, two device files by their device number, and while neither is there by
/// path.
void refuse_targets(const std::string& path, const Place& place,
                    std::span<const std::string> targets);

}  // namespace chronio::results

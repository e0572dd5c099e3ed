// layout.hpp: makes the files that a job needs, and tells whether a file is really on the disk.
#pragma once

#include "target/target.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

namespace chronio::target {

/// Makes what was seen `bytes` long: where nothing was a file is created, a shorter one is
/// extended, with incompressible data; then fsynced and dropped from the cache. On failure, or when
/// `stop` becomes true, a file that this call created is removed, one that it extended is cut back;
/// throws Error (free space is checked first; so is whether it is still what was seen). `progress`
/// is called with the bytes written so far; may be empty.
void lay_out(const Target& seen, std::uint64_t bytes, const std::atomic<bool>& stop,
             const std::function<void(std::uint64_t)>& progress);

/// Creates the file where nothing was seen, and allocates blocks for `bytes` bytes without writing
/// any, where the file system can; a shorter file becomes that long. On failure a file that this
/// call created is removed. Throws Error.
void preallocate(const Target& seen, std::uint64_t bytes);

/// Bytes in [offset, offset + length) of the file that are holes or unwritten extents: reads of
/// them never reach the device. Counts only up to the end of the file. Nothing (0) where the file
/// system can't tell, and where the path leads to no regular file.
[[nodiscard]] std::uint64_t unwritten_bytes(const std::string& path, std::uint64_t offset,
                                            std::uint64_t length);

}  // namespace chronio::target

// guard.hpp: nobody's data is lost: whether a device may be opened for writing or trimming.
#pragma once

#include "target/target.hpp"

#include <optional>
#include <string>
#include <vector>

namespace chronio::target {

struct Policy {
  bool readonly = false;                   ///< absolute: nothing is opened for writing
  std::vector<std::string> allow_destroy;  ///< paths whose data may go
};

/// Why `target` may not be written, naming what was found; nothing when it may. A block device, or
/// the block sibling of /dev/ngXnY, must be unmounted (nor any of its partitions), open with
/// O_EXCL, have no holders, be no swap and be blank to libblkid. Paths under /dev that are absent
/// are refused: nothing is ever created there. Must be asked before the first open for writing.
[[nodiscard]] std::optional<std::string> why_not_writable(const Target& target,
                                                          const Policy& policy);

}  // namespace chronio::target

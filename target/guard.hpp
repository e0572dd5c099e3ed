// guard.hpp: nobody's data is lost: whether a device may be opened for writing or trimming.
#pragma once

#include "target/fd.hpp"
#include "target/target.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace chronio::target {

/// What the command line says about writing; see why_not_writable() and Claims.
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

/// Block devices that a run writes, open with O_EXCL: who wants to mount one, or make a file system
/// on it while the run goes on, finds it busy. The holds end with the object.
class Claims {
 public:
  /// Asks about the block device of `target`, or about that beside /dev/ngXnY, once more, and holds
  /// it. Throws Error when it may not be written any more. Nothing is done for what is no device,
  /// for one that was asked about before, and for one whose data may go. Not `kept`, it is let go
  /// at once.
  void add(const Target& target, const Policy& policy, bool kept);

  /// Of a device that was let go: why it may not be written any more, asked anew. Nothing of any
  /// other: it is held, or its data may go.
  [[nodiscard]] std::optional<std::string> why_lost(const Target& target) const;

 private:
  std::map<std::uint64_t, Fd> held_;  // by device number
};

}  // namespace chronio::target

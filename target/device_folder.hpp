// device_folder.hpp: nothing is ever created under /dev, where a mistyped device would become a
// file in memory.
#pragma once

#include <optional>
#include <string>

namespace chronio::target {

/// Why nothing may be created at an absent `path`, in words; nothing when it may, as far as can be
/// told without trying. /dev/shm, made for files, is no part of /dev in this sense. A symbolic link
/// that leads nowhere is refused wherever it points. REQUIRES: nothing stands at `path`.
[[nodiscard]] std::optional<std::string> why_not_creatable(const std::string& path);

}  // namespace chronio::target

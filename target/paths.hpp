// paths.hpp: taking paths apart, by their text alone.
#pragma once

#include <string>
#include <string_view>

namespace chronio::target {

/// The part of `path` before its last name, without slashes at its end; "." when there is none, "/"
/// of what stands in the root.
[[nodiscard]] std::string folder_of(const std::string& path);

/// Whether `path` is `folder` or below it, by whole names: /dev2 does not lie in /dev. REQUIRES:
/// both absolute, without "..", links, and a slash at the end.
[[nodiscard]] bool lies_in(std::string_view path, std::string_view folder) noexcept;

}  // namespace chronio::target

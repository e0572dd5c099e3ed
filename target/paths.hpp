// paths.hpp: taking paths apart, by their text alone.
#pragma once

#include <string>
#include <string_view>

namespace chronio::target {

/// The part of `path` before its last name; "." when there is none.
[[nodiscard]] std::string folder_of(const std::string& path);

/// Whether `path` is `folder` or below it. REQUIRES: both absolute, without ".." and links.
[[nodiscard]] bool lies_in(std::string_view path, std::string_view folder) noexcept;

}  // namespace chronio::target

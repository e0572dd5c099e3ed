// tell.hpp: messages to people, on stderr.
#pragma once

#include "jobs/diagnostic.hpp"

#include <fmt/format.h>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace chronio::cli {

/// Prints our own text as it is. Where stderr is full or a pipe that nobody reads nothing is said:
/// no reason to lose a run.
void tell_text(std::string_view text);

/// What an argument of tell() is shown as: any text without its control characters, for it may be
/// the name of a job, a path, or what an exception says of one.
template <class T>
[[nodiscard]] auto harmless(const T& value) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>)
    return jobs::printable(value);
  else
    return value;
}

/// Prints what `format` makes of the arguments, without a newline of its own. All control
/// characters, newlines too, have to stand in `format`.
template <class... Args>
void tell(fmt::format_string<const Args&...> format, const Args&... args) {
  tell_text(fmt::format(fmt::runtime(fmt::string_view(format)), harmless(args)...));
}

/// Tells them in their order; what would look the same once only, for jobs by the thousand inherit
/// one mistake of their [global].
void tell_each(const std::vector<jobs::Diagnostic>& diagnostics);

}  // namespace chronio::cli

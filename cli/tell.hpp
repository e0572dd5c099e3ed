// tell.hpp: messages to people, on stderr.
#pragma once

#include "jobs/diagnostic.hpp"

#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

namespace chronio::cli {

/// Prints to stderr what `fmt` makes of the arguments, without a newline of its own. fmt::print
/// would throw where stderr is full or a pipe that nobody reads: no reason to lose a run, so here
/// nothing is said then.
template <class... Args>
void tell(fmt::format_string<Args...> format, Args&&... args) {
  const std::string text = fmt::format(format, std::forward<Args>(args)...);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

/// Tells them in their order; what would look the same once only, for jobs by the thousand inherit
/// one mistake of their [global].
void tell_each(const std::vector<jobs::Diagnostic>& diagnostics);

}  // namespace chronio::cli

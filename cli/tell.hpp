// tell.hpp: messages to people, on stderr.
#pragma once

#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <utility>

namespace chronio::cli {

/// Prints to stderr what `fmt` makes of the arguments, without a newline of its own. fmt::print
/// would throw where stderr is full or a pipe that nobody reads: no reason to lose a run, so here
/// nothing is said then.
template <class... Args>
void tell(fmt::format_string<Args...> format, Args&&... args) {
  const std::string text = fmt::format(format, std::forward<Args>(args)...);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace chronio::cli

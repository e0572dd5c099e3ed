// terminal.cpp: asks the kernel and the environment what the terminal can do.
#include "report/terminal.hpp"

#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

namespace chronio::report {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

/// The first of the three that is set and not empty decides (POSIX, "Internationalization
/// Variables"). By the names alone, without setlocale(3): the program's own locale stays "C".
bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view locale = environment(name);
    if (locale.empty()) continue;
    for (const char* spelling : {"UTF-8", "utf-8", "UTF8", "utf8"}) {
      if (locale.find(spelling) != std::string_view::npos) return true;
    }
    return false;
  }
  return false;
}

int columns_of(int fd, int otherwise) {
  winsize size = {};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : otherwise;
}

}  // namespace

Terminal terminal_of(int fd) {
  Terminal terminal;
  // TERM=dumb can't go back to the beginning of a line.
  terminal.tty = ::isatty(fd) == 1 && environment("TERM") != "dumb";
  // Source: https://no-color.org: set and not empty, whatever the value.
  terminal.color = terminal.tty && environment("NO_COLOR").empty();
  terminal.utf8 = locale_is_utf8();
  // A file is read on screens of any width: its default is the usual one.
  if (terminal.tty) terminal.width = columns_of(fd, terminal.width);
  return terminal;
}

}  // namespace chronio::report

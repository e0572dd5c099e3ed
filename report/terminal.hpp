// terminal.hpp: what the terminal can do, asked once; every report takes it as a value.
#pragma once

namespace chronio::report {

/// Default: a file, with none of it.
struct Terminal {
  bool tty = false;    ///< a line can be rewritten; false for TERM=dumb
  bool color = false;  ///< tty and no NO_COLOR
  bool utf8 = false;   ///< the locale says so
  int width = 80;      ///< columns; 80 when not a tty
};

/// Of file descriptor `fd`, by isatty, TIOCGWINSZ, TERM, NO_COLOR, LC_ALL, LC_CTYPE and LANG. Of a
/// window that is resized later it knows the width at this moment.
[[nodiscard]] Terminal terminal_of(int fd);

}  // namespace chronio::report

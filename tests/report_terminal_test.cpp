// report_terminal_test.cpp: what a pipe and a pseudo terminal are taken for.
#include "report/terminal.hpp"
#include "tests/catch.hpp"

#include <cstdlib>
#include <fcntl.h>
#include <optional>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>

using chronio::report::Terminal;
using chronio::report::terminal_of;

namespace {

/// Sets a variable, nullptr: removes it, and puts the old value back.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    set(value);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { set(old_ ? old_->c_str() : nullptr); }

 private:
  void set(const char* value) const {
    if (value != nullptr) {
      ::setenv(name_, value, 1);
    } else {
      ::unsetenv(name_);
    }
  }

  const char* name_;
  std::optional<std::string> old_;
};

/// Both ends of a pseudo terminal that is `columns` wide.
class Pseudo {
 public:
  explicit Pseudo(unsigned short columns) : master_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    REQUIRE(master_ >= 0);
    REQUIRE(::grantpt(master_) == 0);
    REQUIRE(::unlockpt(master_) == 0);
    char name[128] = {};
    REQUIRE(::ptsname_r(master_, name, sizeof name) == 0);
    slave_ = ::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    REQUIRE(slave_ >= 0);
    winsize size = {};
    size.ws_row = 24;
    size.ws_col = columns;
    REQUIRE(::ioctl(slave_, TIOCSWINSZ, &size) == 0);
  }
  Pseudo(const Pseudo&) = delete;
  Pseudo& operator=(const Pseudo&) = delete;
  ~Pseudo() {
    ::close(slave_);
    ::close(master_);
  }
  [[nodiscard]] int fd() const { return slave_; }

 private:
  int master_;
  int slave_ = -1;
};

}  // namespace

TEST_CASE("terminal: a pipe is no terminal, has no colour and 80 columns", "[report]") {
  const Variable no_color("NO_COLOR", nullptr);
  int ends[2] = {};
  REQUIRE(::pipe(ends) == 0);
  const Terminal terminal = terminal_of(ends[1]);
  ::close(ends[0]);
  ::close(ends[1]);
  CHECK_FALSE(terminal.tty);
  CHECK_FALSE(terminal.color);
  CHECK(terminal.width == 80);
}

TEST_CASE("terminal: a closed descriptor is no terminal", "[report]") {
  CHECK_FALSE(terminal_of(-1).tty);
}

TEST_CASE("terminal: a terminal tells its width", "[report]") {
  const Variable term("TERM", "xterm");
  const Variable no_color("NO_COLOR", nullptr);
  const Pseudo pseudo(132);
  const Terminal terminal = terminal_of(pseudo.fd());
  CHECK(terminal.tty);
  CHECK(terminal.color);
  CHECK(terminal.width == 132);
}

TEST_CASE("terminal: one that does not know its width has 80 columns", "[report]") {
  const Variable term("TERM", "xterm");
  CHECK(terminal_of(Pseudo(0).fd()).width == 80);
}

TEST_CASE("terminal: NO_COLOR takes the colour", "[report]") {
  const Variable term("TERM", "xterm");
  const Pseudo pseudo(80);
  {
    const Variable no_color("NO_COLOR", "1");
    CHECK_FALSE(terminal_of(pseudo.fd()).color);
  }
  const Variable empty("NO_COLOR", "");  // counts as not set: no-color.org
  CHECK(terminal_of(pseudo.fd()).color);
}

TEST_CASE("terminal: a dumb one rewrites no line", "[report]") {
  const Variable term("TERM", "dumb");
  const Pseudo pseudo(80);
  CHECK_FALSE(terminal_of(pseudo.fd()).tty);
}

TEST_CASE("terminal: UTF-8 if the first locale variable that is set says so", "[report]") {
  const auto utf8 = [](const char* all, const char* ctype, const char* lang) {
    const Variable a("LC_ALL", all);
    const Variable c("LC_CTYPE", ctype);
    const Variable l("LANG", lang);
    return terminal_of(-1).utf8;
  };
  CHECK(utf8(nullptr, nullptr, "de_DE.UTF-8"));
  CHECK(utf8("C.utf8", "C", "C"));
  CHECK_FALSE(utf8("C", nullptr, "de_DE.UTF-8"));
  CHECK(utf8("", "en_US.UTF-8", "C"));
  CHECK_FALSE(utf8(nullptr, "POSIX", "en_US.UTF-8"));
  CHECK_FALSE(utf8(nullptr, nullptr, nullptr));
}

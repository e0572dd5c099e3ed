// signals.cpp: a signalfd.
#include "runner/signals.hpp"

#include <cerrno>
#include <pthread.h>
#include <sys/signalfd.h>
#include <system_error>
#include <unistd.h>

namespace chronio::runner {

Signals::Signals() : fd_(-1) {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&set, signal);
  // Blocked first: a signal before the descriptor is there waits for it, and is read by it.
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  // These two belong to a write of this process, and end it by default: as errors they leave a
  // result.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  fd_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (fd_ < 0) throw std::system_error(errno, std::generic_category(), "signalfd");
}

Signals::~Signals() { ::close(fd_); }

void Signals::take() noexcept {
  signalfd_siginfo info = {};
  while (::read(fd_, &info, sizeof info) == sizeof info) {
    ++count_;
    // The first tells why the run ended; what comes later only says how urgently.
    if (!first_.empty()) continue;
    first_ = info.ssi_signo == SIGINT ? "SIGINT" : info.ssi_signo == SIGTERM ? "SIGTERM" : "SIGHUP";
  }
}

}  // namespace chronio::runner

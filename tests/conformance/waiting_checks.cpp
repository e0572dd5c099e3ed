// waiting_checks.cpp: how reap() waits: its time limit, signals, and requests that don't end.
#include "tests/conformance/checks.hpp"
#include "tests/conformance/ledger.hpp"
#include "tests/conformance/signal_storm.hpp"

#include <array>
#include <chrono>
#include <fcntl.h>
#include <unistd.h>

namespace chronio::conformance {
namespace {

using std::chrono::steady_clock;

bool can_wait_for_pipe(const Subject& subject) {
  return !subject.has(kSynchronous | kDiskless | kOpensFiles | kBlocks);
}

/// A read of one byte from an empty pipe: outstanding until answer().
class Unanswered {
 public:
  explicit Unanswered(const Subject& subject)
      : session_(subject, {.iodepth = 2}, pipe_.ends[0]), ledger_(session_) {
    session_.open();
    Io& io = session_.ios()[0];
    io.ddir = Ddir::read;
    io.len = 1;
    ledger_.queue(0);
  }

  [[nodiscard]] Ledger& ledger() noexcept { return ledger_; }

  void answer() {
    expect(write(pipe_.ends[1], "x", 1) == 1, "can't write to the pipe");
    ledger_.drain();
    expect(session_.ios()[0].result == 1, "the request that was waited for has the result " +
                                              std::to_string(session_.ios()[0].result));
  }

 private:
  struct Pipe {
    Pipe() {
      if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    Pipe(Pipe&&) = delete;
    Pipe& operator=(Pipe&&) = delete;
    ~Pipe() {
      close(ends[0]);
      close(ends[1]);
    }
    std::array<int, 2> ends{};
  };

  Pipe pipe_;
  Session session_;
  Ledger ledger_;
};

/// Waits 50 ms for what does not come. An engine that can't read a pipe has answered at once.
void expect_timed_wait(Unanswered& unanswered, const Subject& subject) {
  constexpr auto kWait = std::chrono::milliseconds(50);
  const auto start = steady_clock::now();
  const std::uint32_t back =
      unanswered.ledger().reap(1, 1, std::chrono::nanoseconds(kWait).count());
  const auto waited = steady_clock::now() - start;
  expect(back == 0, "a read of an empty pipe comes back");
  expect(waited >= kWait, "reap() returns before its time is over");
  expect(waited < kWait + subject.patience, "reap() waits much longer than it may");
}

void time_limit(const Subject& subject) {
  Unanswered unanswered(subject);
  expect_timed_wait(unanswered, subject);
  expect_timed_wait(unanswered, subject);  // now with nothing left to submit
  unanswered.answer();
}

void no_wait(const Subject& subject) {
  Unanswered unanswered(subject);
  const auto start = steady_clock::now();
  for (int i = 0; i < 10; ++i) {
    expect(unanswered.ledger().reap(0, 1, 0) == 0, "a read of an empty pipe comes back");
    expect(unanswered.ledger().reap(1, 1, 0) == 0, "a read of an empty pipe comes back");
    expect(unanswered.ledger().reap(0, 1, -1) == 0, "a read of an empty pipe comes back");
  }
  expect(steady_clock::now() - start < subject.patience, "reap() waits though it must not");
  unanswered.answer();
}

void interrupted_wait(const Subject& subject) {
  Unanswered unanswered(subject);
  const SignalStorm storm;
  const std::uint64_t before = SignalStorm::received();
  expect_timed_wait(unanswered, subject);
  expect(SignalStorm::received() > before, "no signal arrived: nothing was tried");
  unanswered.answer();
}

/// A transfer or now and then a sync, as number `n` of a run.
void make_request(const Session& session, Io& io, std::uint64_t n) {
  const bool syncs = n % 50 == 49;
  io.ddir = syncs ? Ddir::datasync : n % 2 == 0 ? Ddir::write : session.subject().other();
  io.len = syncs ? 0 : session.shape().block;
  io.offset = n % session.shape().blocks * io.len;
}

void signals(const Subject& subject) {
  constexpr std::uint64_t kSignals = 500;  // a tenth of a second
  constexpr std::uint64_t kBatch = 500;
  Session session(subject);
  session.open();
  std::uint64_t bytes = 0;
  Ledger ledger(session, [&bytes](const Io& io) {
    expect(io.result == io.len, "a signal changes a result to " + std::to_string(io.result));
    bytes += io.len;
  });
  const auto run = [&] {
    bytes = 0;
    ledger.run(kBatch, [&](Io& io, std::uint64_t n) { make_request(session, io, n); });
    return bytes;
  };
  const std::uint64_t undisturbed = run();
  const SignalStorm storm;
  const std::uint64_t before = SignalStorm::received();
  const auto give_up = steady_clock::now() + subject.patience;
  for (std::uint64_t runs = 2; SignalStorm::received() - before < kSignals; ++runs) {
    expect(run() == undisturbed, "under signals another number of bytes is moved");
    expect(ledger.returned() == runs * kBatch,
           "under signals not as many come back as were queued");
    expect(steady_clock::now() < give_up, "too few signals arrive");
  }
}

constexpr std::array kChecks{
    Check{"reap() heeds its time limit", time_limit, can_wait_for_pipe},
    Check{"reap() does not wait when told not to", no_wait, can_wait_for_pipe},
    Check{"an interrupted reap() waits on", interrupted_wait, can_wait_for_pipe},
    Check{"signals change no result and no count", signals, nullptr},
};

}  // namespace

std::span<const Check> waiting_checks() { return kChecks; }

}  // namespace chronio::conformance

// whole_file_checks.cpp: engines whose request is one operation on a file, which uses the file up.
#include "tests/conformance/allocations.hpp"
#include "tests/conformance/checks.hpp"
#include "tests/conformance/ledger.hpp"
#include "tests/conformance/signal_storm.hpp"

#include <array>

namespace chronio::conformance {
namespace {

constexpr std::uint32_t kFiles = 200;

/// One request for each file, in their order.
void use_all(Ledger& ledger) {
  ledger.run(kFiles, [](Io& io, std::uint64_t n) {
    io.ddir = Ddir::write;
    io.offset = 0;
    io.file = static_cast<std::uint32_t>(n);
  });
}

void expect_whole(const Io& io) {
  expect(io.result == io.len, "file " + std::to_string(io.file) + " of " + std::to_string(kFiles) +
                                  " has the result " + std::to_string(io.result));
}

void each_once(const Subject& subject) {
  Session session(subject, {.files = kFiles});
  session.open();
  Ledger ledger(session, expect_whole);
  use_all(ledger);
  expect(ledger.returned() == kFiles, "not as many come back as were queued");
}

void once_only(const Subject& subject) {
  Session session(subject, {.files = kFiles});
  session.open();
  Ledger ledger(session, [first = std::uint32_t{0}](const Io& io) mutable {
    if (first++ < kFiles) return;
    expect(io.result < 0, "a file that is used up can be used again");
  });
  use_all(ledger);
  use_all(ledger);
}

void signals(const Subject& subject) {
  const SignalStorm storm;
  for (int round = 0; round < 20; ++round) each_once(subject);
}

void no_allocation(const Subject& subject) {
  Session session(subject, {.files = kFiles});
  session.open();
  Ledger ledger(session);
  const std::uint64_t before = allocations();
  use_all(ledger);
  const std::uint64_t made = allocations() - before;
  expect(made == 0, "200 requests allocate memory " + std::to_string(made) + " times");
}

constexpr std::array kChecks{
    Check{"each file can be used once", each_once, nullptr},
    Check{"no file can be used twice", once_only, nullptr},
    Check{"signals change no result and no count", signals, nullptr},
    Check{"no memory is allocated after open()", no_allocation, nullptr},
};

}  // namespace

std::span<const Check> whole_file_checks() { return kChecks; }

}  // namespace chronio::conformance

// queue_checks.cpp: many requests at once: none lost, none invented, never too many handed back.
#include "tests/conformance/checks.hpp"
#include "tests/conformance/ledger.hpp"

#include <array>

namespace chronio::conformance {
namespace {

bool is_asynchronous(const Subject& subject) { return !subject.has(kSynchronous); }

void make_request(Io& io, Ddir ddir, std::uint64_t n) {
  io.ddir = ddir;
  io.offset = n * io.len;
}

void fill_queue(Session& session, Ledger& ledger) {
  for (std::uint32_t slot = 0; slot < session.shape().iodepth; ++slot) {
    make_request(session.ios()[slot], session.subject().other(), slot);
    ledger.queue(slot);
  }
}

void every_depth(const Subject& subject) {
  for (const std::uint32_t iodepth : {1U, 2U, 3U, 8U, 33U, 64U}) {
    Session session(subject, {.iodepth = iodepth});
    session.open();
    Ledger ledger(session);
    for (int round = 1; round <= 3; ++round) {
      fill_queue(session, ledger);
      ledger.drain();
      expect(ledger.returned() == std::uint64_t{iodepth} * static_cast<std::uint64_t>(round),
             "at iodepth " + std::to_string(iodepth) + " not all requests come back");
    }
  }
}

/// What the engine holds of a request that is back, it must not count: a kernel thread that submits
/// frees its place in the ring after the completion can be seen.
void one_after_another(const Subject& subject) {
  Session session(subject, {.iodepth = 1});
  session.open();
  Ledger ledger(session);
  for (int round = 0; round < 2'000; ++round) {
    fill_queue(session, ledger);
    const auto give_up = std::chrono::steady_clock::now() + subject.patience;
    while (ledger.outstanding() > 0) {
      ledger.reap(0, 1, 0);
      expect(std::chrono::steady_clock::now() < give_up, "a request does not come back");
    }
  }
}

void heeds_room(const Subject& subject) {
  for (const std::uint32_t room : {1U, 3U}) {
    Session session(subject);
    session.open();
    Ledger ledger(session);
    fill_queue(session, ledger);
    while (ledger.outstanding() > 0) {
      const std::uint32_t least = std::min(room, ledger.outstanding());
      const std::uint32_t back = ledger.reap(least, room, subject.patience.count());
      expect(back >= least, "reap() returns fewer than min within its time");
    }
  }
}

void waits_for_min(const Subject& subject) {
  Session session(subject);
  session.open();
  Ledger ledger(session);
  for (int round = 0; round < 20; ++round) {
    fill_queue(session, ledger);
    const std::uint32_t all = ledger.outstanding();
    const std::uint32_t back = ledger.reap(all, all, -1);
    expect(back == all, "reap() without a time limit returns fewer than min");
  }
}

void empty_reap(const Subject& subject) {
  Session session(subject);
  session.open();
  Ledger ledger(session);
  expect(ledger.reap(0, session.shape().iodepth, 0) == 0, "something comes back unasked");
  expect(ledger.reap(0, session.shape().iodepth, -1) == 0, "something comes back unasked");
  ledger.commit();
}

void polled_reaps(const Subject& subject) {
  Session session(subject);
  session.open();
  Ledger ledger(session);
  const auto give_up = std::chrono::steady_clock::now() + subject.patience;
  for (int round = 0; round < 20; ++round) {
    fill_queue(session, ledger);
    while (ledger.outstanding() > 0) {
      ledger.reap(0, session.shape().iodepth, 0);
      expect(std::chrono::steady_clock::now() < give_up, "reap() with min 0 finds nothing");
    }
  }
}

constexpr std::array kChecks{
    Check{"every request comes back once, at any iodepth", every_depth, nullptr},
    Check{"one request after another is never refused as busy", one_after_another, is_asynchronous},
    Check{"reap() heeds done.size()", heeds_room, nullptr},
    Check{"reap() waits for min", waits_for_min, is_asynchronous},
    Check{"reap() of nothing returns nothing", empty_reap, nullptr},
    Check{"reap() with min 0 makes progress", polled_reaps, nullptr},
};

}  // namespace

std::span<const Check> queue_checks() { return kChecks; }

}  // namespace chronio::conformance

// transfer_checks.cpp: what becomes of one request: its bytes, its result, its errors.
#include "tests/conformance/checks.hpp"
#include "tests/conformance/ledger.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace chronio::conformance {
namespace {

bool has_data(const Subject& subject) { return !subject.has(kNoData); }
bool trims(const Subject& subject) { return subject.has(kTrims); }
bool trims_data(const Subject& subject) { return trims(subject) && has_data(subject); }
bool has_file(const Subject& subject) { return !subject.has(kNoData) && !subject.has(kDiskless); }
bool has_fd(const Subject& subject) {
  return !subject.has(kNoData) && !subject.has(kDiskless) && !subject.has(kOpensFiles);
}

void make_transfer(Io& io, Ddir ddir, std::uint64_t block) {
  io.ddir = ddir;
  io.offset = block * io.len;
}

/// Another content for each block: its words count up from a number of its own.
void fill_block(const Io& io) {
  const std::uint64_t first = (io.offset + 1) * 0x9e3779b97f4a7c15;
  for (std::uint64_t i = 0; i < io.len / sizeof first; ++i) {
    const std::uint64_t word = first + i;
    std::memcpy(io.buf + i * sizeof word, &word, sizeof word);
  }
}

bool is_filled(const Io& io) {
  std::vector<std::byte> wanted(io.len);
  Io copy = io;
  copy.buf = wanted.data();
  fill_block(copy);
  return std::equal(wanted.begin(), wanted.end(), io.buf);
}

void expect_whole(const Io& io) {
  expect(io.result == io.len, "a transfer of " + std::to_string(io.len) + " bytes has the result " +
                                  std::to_string(io.result));
}

/// One request of `ddir` over the first block, with `result` as its only right one.
void expect_result(Session& session, Ddir ddir, std::int64_t result) {
  Ledger ledger(session, [&](const Io& io) {
    expect(io.result == result, "ddir " + std::to_string(static_cast<int>(ddir)) +
                                    " has the result " + std::to_string(io.result) + ", not " +
                                    std::to_string(result));
  });
  Io& io = session.ios()[0];
  const bool transfers = ddir == Ddir::read || ddir == Ddir::write || ddir == Ddir::trim;
  io.ddir = ddir;
  io.offset = 0;
  io.len = transfers ? session.shape().block : 0;
  ledger.queue(0);
  ledger.drain();
}

void whole_transfers(const Subject& subject) {
  for (const Ddir ddir : {Ddir::write, subject.other()}) {
    Session session(subject);
    session.open();
    Ledger ledger(session, expect_whole);
    ledger.run(session.shape().blocks, [ddir](Io& io, auto n) { make_transfer(io, ddir, n); });
    expect(ledger.returned() == session.shape().blocks, "not as many come back as were queued");
  }
}

void data_survives(const Subject& subject) {
  Session session(subject);
  session.open();
  const std::uint64_t blocks = session.shape().blocks;
  Ledger ledger(session, [](const Io& io) {
    expect_whole(io);
    if (io.ddir == Ddir::read) expect(is_filled(io), "other data is read than was written");
  });
  ledger.run(blocks, [](Io& io, std::uint64_t n) {
    make_transfer(io, Ddir::write, n);
    fill_block(io);
  });
  ledger.run(blocks, [blocks](Io& io, std::uint64_t n) {
    make_transfer(io, Ddir::read, n * 37 % blocks);  // a stride with no common divisor: each once
    std::memset(io.buf, 0, io.len);
  });
}

void trimmed(const Subject& subject) {
  Session session(subject);
  session.open();
  Ledger ledger(session, expect_whole);
  ledger.run(session.shape().blocks, [](Io& io, auto n) { make_transfer(io, Ddir::trim, n); });
}

void trimmed_data(const Subject& subject) {
  Session session(subject);
  session.open();
  Ledger ledger(session, [](const Io& io) {
    expect_whole(io);
    const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
    const bool gone = io.ddir != Ddir::read || std::all_of(io.buf, io.buf + io.len, is_zero);
    expect(gone, "data is read where a file was trimmed");
  });
  for (const Ddir ddir : {Ddir::write, Ddir::sync, Ddir::trim, Ddir::read}) {
    const std::uint64_t count = ddir == Ddir::sync ? 1 : session.shape().blocks;
    ledger.run(count, [&](Io& io, std::uint64_t n) {
      io.len = ddir == Ddir::sync ? 0 : session.shape().block;
      make_transfer(io, ddir, n);
      if (ddir == Ddir::write) fill_block(io);
    });
  }
}

void short_at_the_end(const Subject& subject) {
  Session session(subject);
  session.open();
  const std::uint64_t half = session.shape().block / 2;
  std::int64_t wanted = 0;
  Ledger ledger(session, [&](const Io& io) {
    expect(io.result == wanted, "a read over the end of the file has the result " +
                                    std::to_string(io.result) + ", not " + std::to_string(wanted));
  });
  for (const std::uint64_t left : {half, std::uint64_t{0}}) {
    wanted = static_cast<std::int64_t>(left);
    session.ios()[0].ddir = Ddir::read;
    session.ios()[0].offset = session.file().size - left;
    ledger.queue(0);
    ledger.drain();
  }
}

void bad_descriptor(const Subject& subject) {
  constexpr int kNoSuchFd = 0x3fff'ffff;
  Session session(subject, {}, kNoSuchFd);
  const int error = session.try_open();
  if (error == -EBADF) return;  // just as good
  expect(error == 0, "open() answers " + std::to_string(error) + " to a bad descriptor");
  for (const Ddir ddir : {Ddir::read, Ddir::write, Ddir::sync, Ddir::datasync}) {
    expect_result(session, ddir, -EBADF);
  }
}

void unknown_ddir(const Subject& subject) {
  Session session(subject);
  session.open();
  expect_result(session, static_cast<Ddir>(200), -EOPNOTSUPP);
  expect_result(session, static_cast<Ddir>(255), -EOPNOTSUPP);
}

void syncs(const Subject& subject) {
  Session session(subject);
  session.open();
  expect_result(session, Ddir::sync, 0);
  expect_result(session, Ddir::datasync, 0);
}

constexpr std::array kChecks{
    Check{"a whole transfer's result is its length", whole_transfers, nullptr},
    Check{"what was written is what is read", data_survives, has_data},
    Check{"a whole trim's result is its length", trimmed, trims},
    Check{"what was trimmed is read as zeroes", trimmed_data, trims_data},
    Check{"a read over the end of the file is short", short_at_the_end, has_file},
    Check{"a bad descriptor gives EBADF", bad_descriptor, has_fd},
    Check{"an unknown ddir gives EOPNOTSUPP", unknown_ddir, nullptr},
    Check{"sync and datasync work", syncs, nullptr},
};

}  // namespace

std::span<const Check> transfer_checks() { return kChecks; }

}  // namespace chronio::conformance

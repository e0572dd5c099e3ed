// ledger.cpp: who has which request, and whether it came back as it went.
#include "tests/conformance/ledger.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace chronio::conformance {
namespace {

[[noreturn]] void refuse(std::uint32_t slot, const char* what) {
  throw Failure("the request in slot " + std::to_string(slot) + what);
}

bool is_unchanged(const Io& was, const Io& is) {
  return was.offset == is.offset && was.buf == is.buf && was.len == is.len && was.file == is.file &&
         was.index == is.index && was.ddir == is.ddir && was.flags == is.flags &&
         was.ioprio == is.ioprio && was.reserved[0] == is.reserved[0] &&
         was.reserved[1] == is.reserved[1];
}

}  // namespace

Ledger::Ledger(Session& session, OnDone on_done)
    : session_(session),
      on_done_(std::move(on_done)),
      as_queued_(session.shape().iodepth),
      is_out_(session.shape().iodepth),
      done_(2 * std::size_t{session.shape().iodepth}) {
  free_.reserve(session.shape().iodepth);
  for (std::uint32_t slot = session.shape().iodepth; slot-- > 0;) free_.push_back(slot);
}

Ledger::~Ledger() {
  if (outstanding_ > 0) session_.abandon();
}

void Ledger::queue(std::uint32_t slot) {
  Io& io = session_.ios()[slot];
  as_queued_[slot] = io;
  is_out_[slot] = 1;
  ++outstanding_;
  std::erase(free_, slot);
  const auto give_up = std::chrono::steady_clock::now() + session_.subject().patience;
  for (;;) {
    const Queued answer = session_.engine().queue(io);
    if (answer == Queued::completed) return take_back(&io);
    if (answer == Queued::pending) break;
    expect(answer == Queued::busy, "queue() answers no value of Queued");
    expect(outstanding_ > 1, "busy with nothing outstanding: who waits has nothing to wait for");
    expect(std::chrono::steady_clock::now() < give_up, "busy for ever");
    make_room();
  }
  expect(!session_.subject().has(kSynchronous), "a kSynchronous engine answers pending");
}

void Ledger::make_room() {
  commit();
  const std::uint32_t others = outstanding_ - 1;
  const std::uint32_t back = reap(std::min(others, 1U), session_.shape().iodepth, patience_ns());
  expect(back > 0, "busy, and nothing comes back");
}

void Ledger::commit() {
  const int error = session_.engine().commit();
  if (error != 0) throw Failure("commit() answers " + std::to_string(error));
}

std::uint32_t Ledger::reap(std::uint32_t min, std::uint32_t room, std::int64_t timeout_ns) {
  Io mark{};
  std::ranges::fill(done_, &mark);
  const int count = session_.engine().reap(min, std::span(done_).first(room), timeout_ns);
  if (count < 0) throw Failure("reap() fails: " + describe_result(count));
  expect(static_cast<std::uint32_t>(count) <= room, "reap() returns more than done.size()");
  expect(std::all_of(done_.begin() + room, done_.end(), [&](Io* io) { return io == &mark; }),
         "reap() writes past the end of done");
  for (int i = 0; i < count; ++i) take_back(done_[static_cast<std::size_t>(i)]);
  return static_cast<std::uint32_t>(count);
}

void Ledger::take_back(Io* io) {
  const std::span<Io> all = session_.ios();
  const auto* place = std::ranges::find_if(all.data(), all.data() + all.size(),
                                           [io](const Io& one) { return &one == io; });
  expect(place != all.data() + all.size(), "something comes back that is no request of the worker");
  const auto slot = static_cast<std::uint32_t>(place - all.data());
  if (is_out_[slot] == 0) refuse(slot, " comes back without having been queued");
  if (!is_unchanged(as_queued_[slot], *io)) refuse(slot, " comes back changed");
  is_out_[slot] = 0;
  free_.push_back(slot);
  --outstanding_;
  ++returned_;
  on_done_(*io);
}

void Ledger::wait() {
  const std::uint32_t back = reap(1, session_.shape().iodepth, patience_ns());
  if (back == 0) throw Failure("requests that don't come back: " + std::to_string(outstanding_));
}

void Ledger::drain() {
  while (outstanding_ > 0) wait();
}

void Ledger::run(std::uint64_t count, const std::function<void(Io&, std::uint64_t)>& fill) {
  for (std::uint64_t next = 0; next < count;) {
    while (next < count && !free_.empty()) {
      const std::uint32_t slot = free_.back();
      fill(session_.ios()[slot], next++);
      queue(slot);
    }
    // Now by commit() and reap(), now by reap() alone: both ways have to work.
    if (next % 2 == 0) commit();
    if (outstanding_ > 0) wait();
  }
  drain();
}

}  // namespace chronio::conformance

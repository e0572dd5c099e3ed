// loop_rare.hpp: what the loop does seldom: its phases, syncs, rests of short transfers, what was
// refused as busy, failures. For loop.cpp only.
#pragma once

#include "runner/loop.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace chronio::runner {

template <class Stamps, bool kAboveGhz>
void Loop<Stamps, kAboveGhz>::begin_measuring(std::uint64_t now, std::uint64_t taken) noexcept {
  measuring_ = true;
  // The planned end of the ramp, not the first I/O behind it: the run time begins when it was asked
  // to. Of a run that ended within its ramp: now, so that the measured part is empty.
  measure_from_ = std::min(measure_from_, now);
  next_event_ = deadline_;
  // What was issued in the ramp used up nothing: the whole amount is still to be done, but for the
  // request that is just about to go out.
  if (const std::uint64_t limit = worker_.work_.io_limit; limit != 0) {
    left_ = limit - std::min(limit, taken);
    budget_ = std::min(budget_, left_);
    left_ -= budget_;
  }
  worker_.measured_.begin = measure_from_;
  // Before the usage is read: that the counters are started is the tool's own work.
  if (worker_.session_ != nullptr) worker_.session_->begin();
  worker_.measured_.usage = pmu::thread_usage();
  // Last, and with release: who sees the step may read measured_.begin.
  worker_.live_.step.store(Step::measuring, std::memory_order_release);
}

template <class Stamps, bool kAboveGhz>
bool Loop<Stamps, kAboveGhz>::in_time(const Io& io, std::uint64_t now) noexcept {
  if (!measuring_) begin_measuring(now, io.len);
  return now < deadline_;
}

template <class Stamps, bool kAboveGhz>
void Loop<Stamps, kAboveGhz>::stop() noexcept {
  budget_ = 0;
  left_ = 0;
  syncs_due_ = 0;
  // One by one: what comes back is counted even where another request never does.
  complete_min_ = 1;
}

template <class Stamps, bool kAboveGhz>
bool Loop<Stamps, kAboveGhz>::at_end(bool busy) noexcept {
  if (busy) engine_failed("queue", EBUSY);  // nothing is outstanding, so nothing can make room
  if (!busy && held_count_ == 0 && syncs_due_ == kPassEnds && begin_pass()) return false;
  return busy || held_count_ == 0;
}

// A pass ends with an empty queue: what was outstanding would wait while pages are dropped, and
// leave pages behind for the next one to find.
template <class Stamps, bool kAboveGhz>
auto Loop<Stamps, kAboveGhz>::end_pass() noexcept -> Request* {
  // Not the end of a pass but of the job: the next pass would not hold this request either.
  if (budget_ + std::min(worker_.work_.pass_bytes, left_) < free_->len) return nullptr;
  // The pattern has moved on: what it gave is kept until the pass begins.
  first_ = static_cast<const Io&>(*free_);
  syncs_due_ = kPassEnds;
  return worker_.synchronous() && begin_pass() ? first_of_pass() : nullptr;
}

template <class Stamps, bool kAboveGhz>
bool Loop<Stamps, kAboveGhz>::begin_pass() noexcept {
  const std::uint64_t bytes = std::min(worker_.work_.pass_bytes, left_);
  budget_ += bytes;
  left_ -= bytes;
  syncs_due_ = kPassBegins;
  const int error = worker_.drop_caches();
  if (error < 0) engine_failed("open", -error);
  return error >= 0;
}

// Only offset, length, file and direction are the pattern's: slot and buffer are the request's own.
template <class Stamps, bool kAboveGhz>
auto Loop<Stamps, kAboveGhz>::first_of_pass() noexcept -> Request* {
  if (syncs_due_ == kPassEnds) return nullptr;
  syncs_due_ = 0;
  Request& io = *std::exchange(free_, free_->next);
  io.offset = first_.offset;
  io.len = first_.len;
  io.file = first_.file;
  io.ddir = first_.ddir;
  budget_ -= io.len;
  io.whole = io.len;
  if (io.ddir == Ddir::write) wrote(io);
  return &io;
}

template <class Stamps, bool kAboveGhz>
bool Loop<Stamps, kAboveGhz>::retry_held() noexcept {
  std::uint32_t accepted = 0;
  std::uint32_t fresh = 0;
  Request* first = nullptr;
  Queued queued = Queued::pending;
  // The newest first: after a busy engine there is one, and rests have no order to keep.
  while (held_count_ != 0 && queued == Queued::pending) {
    Request* io = held_[held_count_ - 1];
    queued = engine_.queue(*io);
    if (queued == Queued::busy) break;
    --held_count_;
    if (queued == Queued::completed) {
      if (complete_at_once(*io)) give_back(*io);
      break;  // may have come back short again
    }
    ++accepted;
    // A rest keeps the stamps of its first attempt, so that its latency is that of the whole I/O.
    // What was refused as busy has an old issue stamp, below its start.
    if (io->issue >= io->start) continue;  // a rest has a stamp
    io->next = std::exchange(first, io);
    ++fresh;
  }
  if (accepted != 0 && !commit(accepted, first, fresh)) return true;
  return queued == Queued::busy;
}

template <class Stamps, bool kAboveGhz>
bool Loop<Stamps, kAboveGhz>::complete_at_once(Request& io) noexcept {
  const clock::Stamp done = stamps_.done();
  // There was no commit: its clat is the queue call. fio would put that into slat.
  if (io.issue < io.start) io.issue = io.start;
  depths_.done_at_once(outstanding_ + 1);
  const bool is_free = complete(io, done);
  // While all requests end here, submit() goes on and on: nobody else looks, or tells, meanwhile.
  worker_.live_.finished.publish(1);
  if (stopped_.load(std::memory_order_relaxed)) [[unlikely]]
    stop();
  return is_free;
}

template <class Stamps, bool kAboveGhz>
auto Loop<Stamps, kAboveGhz>::sync_request() noexcept -> Request* {
  if (syncs_due_ >= kPassEnds) return first_of_pass();
  Request& io = *std::exchange(free_, free_->next);
  const std::uint8_t which = (syncs_due_ & kFdatasync) != 0 ? kFdatasync : kFsync;
  io.ddir = which == kFdatasync ? Ddir::datasync : Ddir::sync;
  syncs_due_ = static_cast<std::uint8_t>(syncs_due_ & ~which);
  io.offset = 0;
  io.len = 0;
  io.whole = Request::kNever;
  io.file = last_written_file_;
  return &io;
}

template <class Stamps, bool kAboveGhz>
void Loop<Stamps, kAboveGhz>::record_some(Recorder& into, const Request& io,
                                          std::uint64_t done) noexcept {
  if constexpr (!Stamps::kEvery) {
    if (stamps_.none()) return;
    // A stamp that was not read stands where the one before it does; what is between the two is
    // none of the latencies that the job measures.
    const std::uint64_t issue = stamps_.issues() ? io.issue : io.start;
    const std::uint64_t clat = stamps_.dones() ? ns_between(issue, done) : 0;
    const std::uint64_t slat = ns_between(io.start, issue);
    if (into.keeps_clat) into.clat.record(clat);
    into.moments.record(slat, clat);
    if (into.slat) into.slat->record(slat);
    if (into.lat) into.lat->record(slat + clat);
  }
}

template <class Stamps, bool kAboveGhz>
bool Loop<Stamps, kAboveGhz>::complete_other(Request& io, clock::Stamp done) noexcept {
  // By its first start: the phase in which it was issued.
  const bool counts = io.start >= measure_from_;
  const bool is_sync = io.ddir > Ddir::trim;
  if (!is_sync && io.result > io.len) io.result = -EPROTO;  // the engine's own mistake
  // 0 bytes are a failure: a target that became shorter, or a device that is gone. Linux 6.12
  // answers reads of an NVMe disk whose PCI device was removed with 0, at once and for ever.
  if (io.result < 0 || (io.result == 0 && !is_sync)) {
    // In no count and no latency; the job ends, its other requests are waited for.
    worker_.fail_io(io);
    stop();
  } else if (is_sync) {
    io.issue = io.start;  // fio's sync latency begins with the call
    if (counts) record(*recorders_[kSyncRecorder], io, done.ticks);
  } else if (io.result < io.len) {
    Recorder& recorder = *recorders_[static_cast<std::size_t>(io.ddir)];
    const auto bytes = static_cast<std::uint32_t>(io.result);
    if (counts) {
      recorder.short_ios.add(1);
      // At once, not with the whole: bytes that moved have moved, whatever becomes of the rest.
      recorder.bytes.add(bytes);
    }
    io.offset += bytes;
    io.buf += bytes;
    io.len -= bytes;
    io.whole = Request::kNever;
    held_[held_count_++] = &io;  // the rest goes out with the next round
    return false;
  } else {
    count(io, io.result, done);  // the last rest of a transfer
  }
  pattern_.prepare(io);  // a sync was something else
  io.buf = io.home;
  return true;
}

template <class Stamps, bool kAboveGhz>
void Loop<Stamps, kAboveGhz>::engine_failed(const char* hook, int error) noexcept {
  worker_.fail(hook, worker_.first_path(), error);
  stop();
  broken_ = true;
}

}  // namespace chronio::runner

// loop.cpp: the members of Loop, and their instances for each counter.
#include "runner/loop.hpp"

#include "pmu/usage.hpp"
#include "runner/loop_rare.hpp"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <span>
#include <utility>

namespace chronio::runner {
namespace {

/// As fio: without a mark, or with one above, the queue is kept as full as it can be.
std::uint32_t low_water(const jobs::Job& job, std::uint32_t iodepth) noexcept {
  return job.iodepth_low == 0 ? iodepth : std::min(job.iodepth_low, iodepth);
}

}  // namespace

template <class Stamps, bool kAboveGhz>
Loop<Stamps, kAboveGhz>::Loop(Worker& worker, const Stamps& stamps)
    : worker_(worker),
      engine_(*worker.engine_),
      stamps_(stamps),
      scale_(worker.timebase_.scale()),
      pattern_(worker.work_.pattern),
      requests_(worker.work_.iodepth),
      held_(worker.work_.iodepth),
      done_(worker.work_.iodepth),
      scrambles_((worker.work_.engine->flags & kNoData) == 0),
      submit_batch_(std::min(worker.job().spec.job.iodepth_batch_submit, worker.work_.iodepth)),
      // fio's 0 means not to wait while there is room for more. Whenever this loop reaps, nothing
      // can be issued, so that 0 and 1 are the same.
      complete_min_(
          std::clamp(worker.job().spec.job.iodepth_batch_complete_min, 1U, worker.work_.iodepth)),
      low_(low_water(worker.job().spec.job, worker.work_.iodepth)),
      stopped_(worker.gate_.stop_flag()),
      fsync_every_(worker.job().spec.job.fsync),
      fdatasync_every_(worker.job().spec.job.fdatasync) {
  const std::uint32_t most = worker.job().spec.job.iodepth_batch_complete_max;
  // The room that reap() is given is the limit on what it brings.
  if (most != 0) done_.resize(std::clamp(most, complete_min_, worker.work_.iodepth));
  for (std::size_t i = 0; i < kRecorders; ++i) recorders_[i] = worker.recorders_[i].get();
  std::byte* buffer = worker.buffers_->all().data();
  for (std::uint32_t index = 0; index < worker.work_.iodepth; ++index) {
    requests_[index].index = index;
    // A slot keeps its buffer for good: it is registered by the slot's number.
    requests_[index].buf = requests_[index].home =
        buffer + std::size_t{index} * worker.work_.buf_stride;
    pattern_.prepare(requests_[index]);
    requests_[index].next = std::exchange(free_, &requests_[index]);
  }
  reaped_ = done_;
  depths_.make(worker.work_.iodepth);
}

template <class Stamps, bool kAboveGhz>
std::uint32_t Loop<Stamps, kAboveGhz>::run() noexcept {
  begin();
  if ((worker_.work_.engine->flags & kSynchronous) != 0)
    // Two loops instead of one with tests: what a synchronous engine needs of batches, lists and
    // commits is nothing.
    run_synchronous();
  else
    run_asynchronous();
  // A reading whatever the job measures, and before anything of the tear-down: the run time ends
  // with the last I/O.
  const std::uint64_t end = stamps_.real().ticks;
  if (!measuring_) begin_measuring(end, 0);
  worker_.measured_.end = end;
  worker_.depths_ = std::move(depths_);
  // The usage covers what the run time covers; the session's own end comes after it.
  worker_.measured_.usage = pmu::between(worker_.measured_.usage, pmu::thread_usage());
  if (worker_.session_ != nullptr) worker_.session_->finish();
  return outstanding_;
}

template <class Stamps, bool kAboveGhz>
void Loop<Stamps, kAboveGhz>::begin() noexcept {
  const jobs::Job& job = worker_.job().spec.job;
  const std::uint64_t now = stamps_.real().ticks;
  // Saturates: a runtime of years must not end at once.
  const auto later = [&](std::uint64_t from, std::uint64_t ns) {
    const std::uint64_t ticks = scale_.to_ticks(ns);
    return ticks < kNever - from ? from + ticks : kNever;
  };
  measure_from_ = later(now, job.ramp_time_ns);
  if (job.runtime_ns != 0) deadline_ = later(measure_from_, job.runtime_ns);
  next_event_ = measure_from_;
  if (worker_.work_.pass_bytes != 0) {
    budget_ = worker_.work_.pass_bytes;
    // begin_measuring() sets what the job's own limit leaves; in a ramp passes go on and on.
    left_ = kNever;
  }
  // Without a ramp everything counts, and what the counters take to start is done before the first
  // I/O.
  if (job.ramp_time_ns == 0)
    begin_measuring(now, 0);
  else if (worker_.session_ != nullptr)
    worker_.session_->ramp();
}

template <class Stamps, bool kAboveGhz>
// NOLINTNEXTLINE(readability-function-cognitive-complexity): one I/O is to be read in one place
void Loop<Stamps, kAboveGhz>::run_synchronous() noexcept {
  // Once, not around each call: the coordinator looks only for one that stays out for seconds.
  worker_.live_.outstanding.set(1);
  while (!stopped_.load(std::memory_order_relaxed)) {
    Request* io = next();
    if (io == nullptr) break;
    clock::Stamp start = stamps_.start();
    if (start.ticks >= next_event_) [[unlikely]] {
      if (!in_time(*io, start.ticks)) break;
      start = stamps_.real();  // what begins with the measured part is in no latency
    }
    io->start = io->issue = start.ticks;
    if constexpr (Stamps::kTellsCpu) io->cpu = start.cpu;
    if (engine_.queue(*io) != Queued::completed) [[unlikely]] {
      outstanding_ = 1;  // whatever the engine meant, it may still use the request
      return engine_failed("queue", EPROTO);
    }
    const clock::Stamp done = stamps_.done();
    if (complete(*io, done)) [[likely]]
      give_back(*io);
    // The rest of a short transfer before anything else: there is one request only.
    while (held_count_ != 0 && !broken_) [[unlikely]] retry_held();
    worker_.live_.finished.publish(1);
  }
  worker_.live_.outstanding.set(0);
}

template <class Stamps, bool kAboveGhz>
// NOLINTNEXTLINE(readability-function-cognitive-complexity): one I/O is to be read in one place
void Loop<Stamps, kAboveGhz>::run_asynchronous() noexcept {
  while (true) {
    if (stopped_.load(std::memory_order_relaxed)) [[unlikely]]
      stop();
    // What is held comes first, since it is older than anything that the pattern would give; a busy
    // engine gets nothing new.
    const bool busy = (held_count_ != 0 && retry_held()) || submit();
    if (busy && broken_) [[unlikely]]
      break;
    if (outstanding_ == 0) [[unlikely]] {
      if (at_end(busy)) break;
      continue;
    }
    if (!reap_to_low()) [[unlikely]]
      break;
  }
  worker_.live_.outstanding.set(outstanding_);
}

template <class Stamps, bool kAboveGhz>
// NOLINTNEXTLINE(readability-function-cognitive-complexity): one I/O is to be read in one place
bool Loop<Stamps, kAboveGhz>::submit() noexcept {
  std::uint32_t accepted = 0;
  // A run of the free list: each is taken from its head, and stays linked to the next.
  Request* first = free_;  // of those accepted
  while (free_ != nullptr) {
    Request* io = next();
    if (io == nullptr) break;
    clock::Stamp start = stamps_.start();
    if (start.ticks >= next_event_) [[unlikely]] {
      // Taken from the list and never issued: nothing misses it, since nothing more is.
      if (!in_time(*io, start.ticks)) {
        stop();
        break;
      }
      start = stamps_.real();
    }
    io->start = start.ticks;
    if constexpr (Stamps::kTellsCpu) io->cpu = start.cpu;
    const Queued queued = engine_.queue(*io);
    if (queued == Queued::pending) [[likely]] {
      if (++accepted < submit_batch_) continue;
    } else if (queued == Queued::busy) {
      held_[held_count_++] = io;
      // What the engine has must go out before reap() may wait for it. A failure of it ends the
      // loop by broken_.
      if (accepted != 0) commit(accepted, first, accepted);
      return true;
    } else if (complete_at_once(*io)) {
      give_back(*io);  // where it was: the links to and from it hold
      continue;
    }
    // Enough for a batch, or one is held that those accepted are linked to.
    if (accepted != 0 && !commit(accepted, first, accepted)) [[unlikely]]
      return true;
    accepted = 0;
    first = free_;
  }
  return accepted != 0 && !commit(accepted, first, accepted);
}

template <class Stamps, bool kAboveGhz>
auto Loop<Stamps, kAboveGhz>::next() noexcept -> Request* {
  if (syncs_due_ != 0) [[unlikely]]
    return sync_request();
  return from_pattern();
}

template <class Stamps, bool kAboveGhz>
auto Loop<Stamps, kAboveGhz>::from_pattern() noexcept -> Request* {
  Request& io = *free_;
  pattern_.next(io);
  // The request stays at the head of the free list.
  if (io.len > budget_) [[unlikely]]
    return end_pass();
  budget_ -= io.len;
  free_ = io.next;
  io.whole = io.len;
  if (io.ddir == Ddir::write) wrote(io);
  return &io;
}

template <class Stamps, bool kAboveGhz>
void Loop<Stamps, kAboveGhz>::wrote(Io& io) noexcept {
  ++writes_;
  // 16 bytes in each 512, so that no two writes are alike to a device that compresses or
  // deduplicates; engines without data have nothing to change.
  if (scrambles_) workload::scramble({io.buf, io.len}, io.offset, writes_);
  last_written_file_ = io.file;
  if (fsync_every_ != 0 && writes_ % fsync_every_ == 0) syncs_due_ |= kFsync;
  if (fdatasync_every_ != 0 && writes_ % fdatasync_every_ == 0) syncs_due_ |= kFdatasync;
}

template <class Stamps, bool kAboveGhz>
bool Loop<Stamps, kAboveGhz>::commit(std::uint32_t accepted, Request* first,
                                     std::uint32_t fresh) noexcept {
  const int error = engine_.commit();
  // One reading for the batch, right after the call. It is each member's issue: that of an early
  // one is late by the building of those behind it, which is slat by fio's definition.
  const std::uint64_t issue = stamps_.issue();
  for (Request* io = first; fresh != 0; io = io->next, --fresh) io->issue = issue;
  outstanding_ += accepted;
  // At its batch's hand-over, each member counts as outstanding at the full depth.
  depths_.issued(accepted, outstanding_);
  if (error < 0) [[unlikely]]
    engine_failed("commit", -error);
  return error >= 0;
}

template <class Stamps, bool kAboveGhz>
bool Loop<Stamps, kAboveGhz>::reap_to_low() noexcept {
  do {
    // Before a call that may never return: by this the coordinator tells what hangs.
    worker_.live_.outstanding.set(outstanding_);
    if (!reap()) [[unlikely]]
      return false;
    // A rest goes out at once: it would wait for all others to come back.
  } while (outstanding_ > low_ && held_count_ == 0);
  return true;
}

template <class Stamps, bool kAboveGhz>
bool Loop<Stamps, kAboveGhz>::reap() noexcept {
  const int n = engine_.reap(std::min(complete_min_, outstanding_), reaped_, -1);
  const clock::Stamp done = stamps_.done();
  if (n < 0) [[unlikely]] {
    engine_failed("reap", -n);
    return false;
  }
  const auto count = static_cast<std::uint32_t>(n);
  outstanding_ -= count;
  // A local copy: the compiler can't know that complete() leaves the member alone.
  Request* free = free_;
  for (Io* each : reaped_.first(count)) {
    Request& io = request_of(*each);
    if (complete(io, done)) [[likely]]
      io.next = std::exchange(free, &io);
  }
  free_ = free;
  // Whatever the phase: depths and batches describe the loop, not the measured part.
  depths_.reaped(count);
  // Once a round, and last: who sees the count sees the histograms with these I/Os in them.
  worker_.live_.finished.publish(count);
  return true;
}

template <class Stamps, bool kAboveGhz>
bool Loop<Stamps, kAboveGhz>::complete(Request& io, clock::Stamp done) noexcept {
  // One comparison for everything unusual: whole is kNever for syncs and rests, which no result is.
  if (io.result != io.whole) [[unlikely]]
    return complete_other(io, done);
  count(io, io.whole, done);
  return true;
}

template <class Stamps, bool kAboveGhz>
void Loop<Stamps, kAboveGhz>::count(const Request& io, std::int64_t bytes,
                                    clock::Stamp done) noexcept {
  if (io.start < measure_from_) [[unlikely]]
    return;
  Recorder& recorder = *recorders_[static_cast<std::size_t>(io.ddir)];
  recorder.bytes.add(static_cast<std::uint64_t>(bytes));
  if constexpr (Stamps::kTellsCpu)
    // The difference of two counters is in the latency then: how much that may be, the certificate
    // says.
    if (io.cpu != done.cpu) [[unlikely]]
      ++worker_.migrated_ios_;
  record(recorder, io, done.ticks);
}

template <class Stamps, bool kAboveGhz>
void Loop<Stamps, kAboveGhz>::record(Recorder& into, const Request& io,
                                     std::uint64_t done) noexcept {
  into.ios.add(1);
  if constexpr (!Stamps::kEvery) return record_some(into, io, done);
  // Ticks become ns here and now, so that histograms of different machines and runs have the same
  // bins; two conversions, and lat is their sum.
  const std::uint64_t clat = ns_between(io.issue, done);
  const std::uint64_t slat = ns_between(io.start, io.issue);
  into.clat.record(clat);
  into.moments.record(slat, clat);
  if (!into.keeps_more) [[likely]]
    return;
  if (into.slat) into.slat->record(slat);
  if (into.lat) into.lat->record(slat + clat);  // exactly their sum, in every I/O
}

namespace {

template <class Loop>
std::uint32_t run_with(std::unique_ptr<Loop> loop) {
  const std::uint32_t outstanding = loop->run();
  if (outstanding != 0) static_cast<void>(loop.release());  // the kernel may still write into it
  return outstanding;
}

}  // namespace

std::uint32_t run_loop(Worker& worker, const clock::Timebase& timebase) {
  return timebase.with_counter([&](auto counter) {
    using Counter = decltype(counter);
    // 1 ms: readings this far apart cost nothing beside the I/Os between them. The scale's shift is
    // not worth an instance of its own here.
    if (!worker.latencies().all()) {
      const NeededStamps<Counter> stamps(counter, worker.latencies(),
                                         timebase.scale().to_ticks(1'000'000));
      return run_with(std::make_unique<Loop<NeededStamps<Counter>, false>>(worker, stamps));
    }
    const EveryStamp<Counter> stamps(counter);
    if (timebase.scale().pre == 0)
      return run_with(std::make_unique<Loop<EveryStamp<Counter>, true>>(worker, stamps));
    return run_with(std::make_unique<Loop<EveryStamp<Counter>, false>>(worker, stamps));
  });
}

}  // namespace chronio::runner

// loop.cpp: the members of Loop, and their instances for each counter.
#include "runner/loop.hpp"

#include "pmu/usage.hpp"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <span>

namespace chronio::runner {

template <class Counter>
Loop<Counter>::Loop(Worker& worker, Counter counter)
    : worker_(worker),
      engine_(*worker.engine_),
      counter_(counter),
      scale_(worker.timebase_.scale()),
      pattern_(worker.work_.pattern),
      ios_(worker.work_.iodepth),
      slots_(worker.work_.iodepth),
      free_(worker.work_.iodepth),
      held_(worker.work_.iodepth),
      batch_(worker.work_.iodepth),
      done_(worker.work_.iodepth),
      scrambles_((worker.work_.engine->flags & kNoData) == 0),
      submit_batch_(std::min(worker.job().spec.job.iodepth_batch_submit, worker.work_.iodepth)),
      complete_min_(
          std::clamp(worker.job().spec.job.iodepth_batch_complete_min, 1U, worker.work_.iodepth)),
      fsync_every_(worker.job().spec.job.fsync),
      fdatasync_every_(worker.job().spec.job.fdatasync) {
  const std::uint32_t most = worker.job().spec.job.iodepth_batch_complete_max;
  if (most != 0) done_.resize(std::clamp(most, complete_min_, worker.work_.iodepth));
  for (std::size_t i = 0; i < kRecorders; ++i) recorders_[i] = worker.recorders_[i].get();
  std::byte* buffer = worker.buffers_->all().data();
  for (std::uint32_t index = 0; index < worker.work_.iodepth; ++index) {
    ios_[index].index = index;
    slots_[index].buf = buffer + std::size_t{index} * worker.work_.buf_stride;
    free_[free_count_++] = &ios_[index];
  }
}

template <class Counter>
std::uint32_t Loop<Counter>::run() noexcept {
  begin();
  if ((worker_.work_.engine->flags & kSynchronous) != 0)
    run_synchronous();
  else
    run_asynchronous();
  const std::uint64_t end = counter_.now();
  if (!measuring_) begin_measuring(end);
  worker_.measured_.end = end;
  worker_.measured_.usage = pmu::between(worker_.measured_.usage, pmu::thread_usage());
  if (worker_.session_ != nullptr) worker_.session_->finish();
  return outstanding_;
}

template <class Counter>
void Loop<Counter>::begin() noexcept {
  const jobs::Job& job = worker_.job().spec.job;
  const std::uint64_t now = counter_.now();
  const auto later = [&](std::uint64_t from, std::uint64_t ns) {
    const std::uint64_t ticks = scale_.to_ticks(ns);
    return ticks < kNever - from ? from + ticks : kNever;
  };
  measure_from_ = later(now, job.ramp_time_ns);
  if (job.runtime_ns != 0) deadline_ = later(measure_from_, job.runtime_ns);
  next_event_ = measure_from_;
  if (job.ramp_time_ns == 0)
    begin_measuring(now);
  else if (worker_.session_ != nullptr)
    worker_.session_->ramp();
}

template <class Counter>
void Loop<Counter>::begin_measuring(std::uint64_t now) noexcept {
  measuring_ = true;
  measure_from_ = std::min(measure_from_, now);
  next_event_ = deadline_;
  if (worker_.work_.io_limit != 0) budget_ = worker_.work_.io_limit;
  worker_.measured_.begin = measure_from_;
  if (worker_.session_ != nullptr) worker_.session_->begin();
  worker_.measured_.usage = pmu::thread_usage();
  worker_.live_.step.store(Step::measuring, std::memory_order_release);
}

template <class Counter>
bool Loop<Counter>::in_time(const Io& io, std::uint64_t now) noexcept {
  if (!measuring_) {
    begin_measuring(now);
    if (budget_ != kNever) budget_ -= std::min<std::uint64_t>(budget_, io.len);
  }
  return now < deadline_;
}

template <class Counter>
void Loop<Counter>::run_synchronous() noexcept {
  worker_.live_.outstanding.set(1);
  while (!worker_.gate_.stopped() && !stopping_) {
    Io* io = next();
    if (io == nullptr) break;
    clock::Stamp start = counter_.stamp();
    if (start.ticks >= next_event_) [[unlikely]] {
      if (!in_time(*io, start.ticks)) break;
      start = counter_.stamp();  // what begins with the measured part is in no latency
    }
    Slot& slot = slots_[io->index];
    slot.start = slot.issue = start.ticks;
    slot.cpu = start.cpu;
    if (engine_.queue(*io) != Queued::completed) [[unlikely]]
      return engine_failed("queue", EPROTO);
    const clock::Stamp done = counter_.stamp();
    ++outstanding_;
    complete(*io, done);
    while (held_count_ != 0 && !broken_) [[unlikely]] retry_held();
    worker_.live_.finished.add(1);
  }
  worker_.live_.outstanding.set(0);
}

template <class Counter>
void Loop<Counter>::run_asynchronous() noexcept {
  while (!broken_) {
    if (worker_.gate_.stopped()) stopping_ = true;
    const bool busy = (held_count_ != 0 && retry_held()) || submit();
    commit();
    if (outstanding_ != 0) {
      worker_.live_.outstanding.set(outstanding_);
      if (!broken_) reap();
      continue;
    }
    if (busy) engine_failed("queue", EBUSY);  // nothing is outstanding, so nothing can make room
    if (held_count_ == 0) break;
  }
  worker_.live_.outstanding.set(outstanding_);
}

template <class Counter>
bool Loop<Counter>::submit() noexcept {
  while (free_count_ != 0 && !stopping_) {
    Io* io = next();
    if (io == nullptr) break;
    clock::Stamp start = counter_.stamp();
    if (start.ticks >= next_event_) [[unlikely]] {
      if (!in_time(*io, start.ticks)) {
        stopping_ = true;
        break;
      }
      start = counter_.stamp();
    }
    slots_[io->index].start = start.ticks;
    slots_[io->index].cpu = start.cpu;
    switch (engine_.queue(*io)) {
      case Queued::pending:
        ++outstanding_;
        batch_[batch_count_++] = io;
        if (batch_count_ >= submit_batch_) commit();
        break;
      case Queued::completed: complete_at_once(*io); break;
      case Queued::busy: held_[held_count_++] = io; return true;
    }
  }
  return false;
}

template <class Counter>
bool Loop<Counter>::retry_held() noexcept {
  for (std::uint32_t left = held_count_; left != 0; --left) {
    Io* io = held_[--held_count_];
    switch (engine_.queue(*io)) {
      case Queued::pending:
        ++outstanding_;
        batch_[batch_count_++] = io;
        break;
      case Queued::completed:
        complete_at_once(*io);
        return false;  // may have come back short again
      case Queued::busy: held_[held_count_++] = io; return true;
    }
  }
  return false;
}

template <class Counter>
void Loop<Counter>::complete_at_once(Io& io) noexcept {
  const clock::Stamp done = counter_.stamp();
  ++outstanding_;
  Slot& slot = slots_[io.index];
  if (slot.issue < slot.start) slot.issue = slot.start;
  complete(io, done);
}

template <class Counter>
Io* Loop<Counter>::next() noexcept {
  if (syncs_due_ != 0) [[unlikely]]
    return sync_request();
  return from_pattern();
}

template <class Counter>
Io* Loop<Counter>::from_pattern() noexcept {
  Io& io = *free_[free_count_ - 1];
  pattern_.next(io);
  if (io.len > budget_) return nullptr;
  budget_ -= io.len;
  --free_count_;
  io.buf = slots_[io.index].buf;
  if (io.ddir == Ddir::write) wrote(io);
  return &io;
}

template <class Counter>
void Loop<Counter>::wrote(Io& io) noexcept {
  ++writes_;
  if (scrambles_) workload::scramble({io.buf, io.len}, io.offset, writes_);
  last_written_file_ = io.file;
  if (fsync_every_ != 0 && writes_ % fsync_every_ == 0) syncs_due_ |= kFsync;
  if (fdatasync_every_ != 0 && writes_ % fdatasync_every_ == 0) syncs_due_ |= kFdatasync;
}

template <class Counter>
Io* Loop<Counter>::sync_request() noexcept {
  Io& io = *free_[--free_count_];
  const std::uint8_t which = (syncs_due_ & kFdatasync) != 0 ? kFdatasync : kFsync;
  io.ddir = which == kFdatasync ? Ddir::datasync : Ddir::sync;
  syncs_due_ = static_cast<std::uint8_t>(syncs_due_ & ~which);
  io.offset = 0;
  io.len = 0;
  io.file = last_written_file_;
  return &io;
}

template <class Counter>
void Loop<Counter>::commit() noexcept {
  const std::uint32_t count = batch_count_;
  if (count == 0) return;
  const int error = engine_.commit();
  const std::uint64_t issue = counter_.now();
  for (std::uint32_t i = 0; i < count; ++i) {
    Slot& slot = slots_[batch_[i]->index];
    if (slot.issue < slot.start) slot.issue = issue;  // else: the rest of a short transfer
  }
  worker_.depths_.issued(count, outstanding_);
  batch_count_ = 0;
  if (error < 0) engine_failed("commit", -error);
}

template <class Counter>
void Loop<Counter>::reap() noexcept {
  const auto min = std::min(stopping_ ? 1U : complete_min_, outstanding_);
  const int n = engine_.reap(min, std::span(done_), -1);
  const clock::Stamp done = counter_.stamp();
  if (n < 0) return engine_failed("reap", -n);
  const auto count = static_cast<std::uint32_t>(n);
  for (std::uint32_t i = 0; i < count; ++i) complete(*done_[i], done);
  worker_.depths_.reaped(count);
  worker_.live_.finished.add(count);
}

template <class Counter>
void Loop<Counter>::complete(Io& io, clock::Stamp done) noexcept {
  if (io.result != io.len || io.len == 0) [[unlikely]]
    return complete_other(io, done.ticks);
  const Slot& slot = slots_[io.index];
  if (slot.start >= measure_from_) {
    Recorder& recorder = *recorders_[static_cast<std::size_t>(io.ddir)];
    recorder.bytes.add(io.len);
    if constexpr (Counter::kTellsCpu)
      if (slot.cpu != done.cpu) [[unlikely]]
        ++worker_.migrated_ios_;
    record(recorder, slot, done.ticks);
  }
  give_back(io);
}

template <class Counter>
void Loop<Counter>::record(Recorder& into, const Slot& slot, std::uint64_t done) noexcept {
  into.ios.add(1);
  const std::uint64_t clat = ns_between(slot.issue, done);
  into.clat.record(clat);
  into.clat_moments.record(clat);
  const std::uint64_t slat = ns_between(slot.start, slot.issue);
  into.slat_moments.record(slat);
  if (into.slat) into.slat->record(slat);
  const std::uint64_t lat = slat + clat;  // exactly, in every I/O
  into.lat_moments.record(lat);
  if (into.lat) into.lat->record(lat);
}

template <class Counter>
void Loop<Counter>::complete_other(Io& io, std::uint64_t done) noexcept {
  Slot& slot = slots_[io.index];
  const bool counts = slot.start >= measure_from_;
  const bool is_sync = io.ddir > Ddir::trim;
  if (io.result < 0 || (io.result == 0 && !is_sync)) {
    worker_.fail_io(io);
    stopping_ = true;
  } else if (is_sync) {
    slot.issue = slot.start;  // fio's sync latency begins with the call
    if (counts) record(*recorders_[kSyncRecorder], slot, done);
  } else {
    Recorder& recorder = *recorders_[static_cast<std::size_t>(io.ddir)];
    const auto bytes = static_cast<std::uint32_t>(io.result);
    if (counts) {
      recorder.short_ios.add(1);
      recorder.bytes.add(bytes);
    }
    io.offset += bytes;
    io.buf += bytes;
    io.len -= bytes;
    --outstanding_;
    held_[held_count_++] = &io;  // the rest goes out with the next round
    return;
  }
  give_back(io);
}

template <class Counter>
void Loop<Counter>::engine_failed(const char* hook, int error) noexcept {
  worker_.fail(hook, worker_.first_path(), error);
  stopping_ = true;
  broken_ = true;
}

namespace {

template <class Counter>
std::uint32_t run_with(Worker& worker, Counter counter) {
  auto loop = std::make_unique<Loop<Counter>>(worker, counter);
  const std::uint32_t outstanding = loop->run();
  if (outstanding != 0) static_cast<void>(loop.release());  // the kernel may still write into it
  return outstanding;
}

}  // namespace

std::uint32_t run_loop(Worker& worker, const clock::Timebase& timebase) {
  return timebase.with_counter([&](auto counter) { return run_with(worker, counter); });
}

}  // namespace chronio::runner

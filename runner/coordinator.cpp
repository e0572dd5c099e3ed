// coordinator.cpp: the coordinator's waiting and its four looks at the workers a second.
#include "runner/coordinator.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <poll.h>

namespace chronio::runner {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
// Four looks a second: what a person sees as alive, and what costs the workers a few cache misses.
constexpr std::uint64_t kTick = kSecond / 4;
constexpr std::uint64_t kSampleTicks = 2;  // fio's default bwavgtime is 500 ms
// Longer than any device should take, shorter than the kernel's own patience: 30 s by default for
// SCSI and NVMe.
constexpr std::uint64_t kStall = 5 * kSecond;
// Beyond, the live line has no percentiles: the result has them all the same.
constexpr std::size_t kPercentileWorkers = 64;  // 38 KiB and about 5 us a snapshot each

Totals totals_of(const Worker& worker) {
  Totals totals;
  for (std::size_t i = 0; i < results::kDirections; ++i) {
    const Recorder* recorder = worker.recorder(i);
    if (recorder == nullptr) continue;
    totals.ios[i] = recorder->ios.get();
    totals.bytes[i] = recorder->bytes.get();
  }
  return totals;
}

Step step_of(const Worker& worker) { return worker.live().step.load(std::memory_order_acquire); }

bool runs(const Worker& worker) {
  const Step step = step_of(worker);
  return step == Step::ramping || step == Step::measuring;
}

/// Share of the worker's job that is done, 0 to 1. The larger one where it is limited both by time
/// and by bytes: whichever comes first ends it.
double share_done(const Worker& worker, const Totals& totals, std::uint64_t elapsed_ns) {
  const jobs::Job& job = worker.job().spec.job;
  double share = 0;
  if (job.runtime_ns != 0)
    share = static_cast<double>(elapsed_ns) /
            static_cast<double>(job.startdelay_ns + job.ramp_time_ns + job.runtime_ns);
  if (const std::uint64_t limit = worker.plan().io_limit; limit != 0) {
    std::uint64_t bytes = 0;
    for (const std::uint64_t n : totals.bytes) bytes += n;
    share = std::max(share, static_cast<double>(bytes) / static_cast<double>(limit));
  }
  return std::min(share, 1.0);
}

}  // namespace

Coordinator::Coordinator(std::span<const std::unique_ptr<Worker>> workers, Gate& gate,
                         clock::Timebase& timebase, Signals& signals, Observer& observer)
    : workers_(workers),
      gate_(gate),
      timebase_(timebase),
      signals_(signals),
      observer_(observer),
      watched_(workers.size()) {
  for (std::size_t i = 0; i < workers.size(); ++i) watched_[i].worker = workers[i].get();
}

std::uint64_t Coordinator::now_ns() const noexcept {
  return timebase_.scale().to_ns(timebase_.now() - origin_ticks_);
}

void Coordinator::wait(std::uint64_t until_ns) {
  const std::uint64_t now = now_ns();
  if (now >= until_ns) return;
  std::array<pollfd, 2> fds = {pollfd{signals_.fd(), POLLIN, 0},
                               pollfd{gate_.wake_fd(), POLLIN, 0}};
  // Rounded up, or the last ms would be spent in a loop of polls that don't wait.
  ::poll(fds.data(), fds.size(), static_cast<int>((until_ns - now) / 1'000'000 + 1));
  if ((fds[1].revents & POLLIN) != 0) gate_.clear();
  signals_.take();
  // At once, wherever the coordinator stands: a signal is the most urgent of what it waits for.
  if (signals_.count() != 0) gate_.stop();
}

bool Coordinator::wait_for_arrivals() {
  while (gate_.arrived() < started_) {
    wait(now_ns() + kTick);
    if (signals_.count() > 1) return false;
  }
  return true;
}

bool Coordinator::run() {
  try {
    return start_and_watch();
  } catch (...) {
    gate_.stop();  // who destroys the workers waits for them
    throw;
  }
}

void Coordinator::start() {
  if (signals_.count() != 0) gate_.stop();
  for (const auto& worker : workers_) {
    if (!worker->start(fmt::format("worker {} of {}", started_ + 1, workers_.size())))
      return gate_.stop();
    ++started_;
  }
}

bool Coordinator::start_and_watch() {
  origin_ticks_ = timebase_.now();
  start();
  if (!wait_for_arrivals()) return false;
  origin_ticks_ = timebase_.now();
  gate_.open();
  std::uint64_t next_tick = kTick;
  while (gate_.left() < started_) {
    wait(next_tick);
    if (signals_.count() > 1 && gate_.left() < started_) return false;
    // Jobs without an end of their own (cpuio without runtime=) end with the last that has one.
    if (only_background_runs()) gate_.stop();
    const std::uint64_t now = now_ns();
    if (now < next_tick) continue;
    tick(now);
    // Ticks that were missed are left out: two looks one behind the other would tell nothing.
    next_tick += kTick * ((now - next_tick) / kTick + 1);
  }
  for (const auto& worker : workers_) worker->join();
  observer_.group_done();
  return true;
}

bool Coordinator::only_background_runs() const {
  std::size_t background = 0;
  for (const auto& worker : workers_) {
    if (worker->plan().background)
      ++background;
    else if (!worker->live().over.load(std::memory_order_acquire))
      return false;
  }
  return background != 0 && background < workers_.size();
}

void Coordinator::tick(std::uint64_t now_ns) {
  // The clock is watched as long as latencies are taken by it.
  timebase_.add_cluster();
  for (Watched& watched : watched_) {
    check_stall(watched, now_ns);
    // Not in the ramp, which measures the period, nor after the end, when nothing is counted.
    if (step_of(*watched.worker) == Step::measuring) watched.worker->watch_pmu();
    if (ticks_ % kSampleTicks == 0) sample(watched);
  }
  if (observer_.shows(now_ns)) tell(now_ns);
  ++ticks_;
}

void Coordinator::sample(Watched& watched) {
  // measured_from() is there from this step on. What comes after the last sample, Series::close()
  // adds from the result.
  if (step_of(*watched.worker) != Step::measuring) return;
  // Each worker's own beginning, and the time of this very reading: what was before the one or
  // passed since the tick is in no interval.
  const std::uint64_t begin = watched.worker->measured_from();
  const std::uint64_t now = timebase_.now();
  if (now > begin)
    watched.series.add(timebase_.scale().to_ns(now - begin), totals_of(*watched.worker));
}

void Coordinator::check_stall(Watched& watched, std::uint64_t now_ns) {
  const Live& live = watched.worker->live();
  const std::uint64_t finished = live.finished.get();
  const std::uint64_t outstanding = live.outstanding.get();
  // Any completion ends a silence, a failed one too: a device that answers errors does answer.
  if (finished != watched.finished || outstanding == 0 || !runs(*watched.worker)) {
    watched.finished = finished;
    watched.last_finish_ns = now_ns;
    watched.next_stall_ns = kStall;
    return;
  }
  const std::uint64_t silent = now_ns - watched.last_finish_ns;
  if (silent < std::max(watched.next_stall_ns, kStall)) return;
  // 5, 10, 20 s...: a dead device is told of, and does not fill the screen.
  watched.next_stall_ns = silent * 2;
  observer_.stalled(
      {watched.worker->job().spec.job.name, watched.worker->first_path(), outstanding, silent});
}

void Coordinator::tell(std::uint64_t now_ns) {
  Progress progress;
  progress.elapsed_ns = now_ns;
  progress.interval.start_ns = last_told_ns_;
  progress.interval.length_ns = now_ns - last_told_ns_;
  // The least of all workers' shares, so it begins at the most.
  progress.done = 1.0;
  progress.phase = gate_.stopped() ? Phase::drain : Phase::ramp;
  stats::Counts counts;
  for (Watched& watched : watched_) add_progress(watched, now_ns, progress, counts);
  // By proportion: what is done took this long. It shrinks as it goes, and is not told at either
  // end.
  if (progress.done && *progress.done > 0 && *progress.done < 1)
    progress.eta_ns = static_cast<std::uint64_t>(static_cast<double>(now_ns) *
                                                 (1 - *progress.done) / *progress.done);
  const stats::Moments moments = stats::moments_of(counts);
  progress.percentiles_ns = {stats::percentile(counts, moments, 50),
                             stats::percentile(counts, moments, 99.9)};
  progress.jobs = watched_.front().worker->job().spec.job.name;
  if (progress.workers > 1) progress.jobs += fmt::format(" and {} more", progress.workers - 1);
  observer_.progress(progress);
  last_told_ns_ = now_ns;
}

void Coordinator::add_progress(Watched& watched, std::uint64_t now_ns, Progress& progress,
                               stats::Counts& counts) {
  const Worker& worker = *watched.worker;
  const Totals totals = totals_of(worker);
  // A worker that has ended is added as well: its last I/Os came after the last look.
  const results::Interval news = between(watched.live_totals, totals);
  watched.live_totals = totals;
  for (std::size_t i = 0; i < results::kDirections; ++i) {
    progress.interval.ios[i] += news.ios[i];
    progress.interval.bytes[i] += news.bytes[i];
  }
  if (runs(worker)) {
    ++progress.workers;
    if (progress.phase == Phase::ramp && step_of(worker) == Step::measuring)
      progress.phase = Phase::run;
    progress.done = std::min(*progress.done, share_done(worker, totals, now_ns));
  }
  // Only what came since the last look: percentiles of the interval, not of the run.
  for (std::size_t i = 0; watched_.size() <= kPercentileWorkers && i < watched.seen.size(); ++i) {
    if (worker.recorder(i) == nullptr) continue;
    // Memory for it only here: a run whose live line nobody sees takes none.
    watched.seen[i].resize(stats::kBuckets + 1);
    worker.recorder(i)->clat.take_new(watched.seen[i], counts);
  }
}

}  // namespace chronio::runner

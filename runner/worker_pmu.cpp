// worker_pmu.cpp: the counting of events on a worker's thread, from its set-up to its result.
#include "runner/worker.hpp"

#include <cerrno>
#include <string_view>

namespace chronio::runner {

bool Worker::open_pmu() {
  const pmu::Request& asked = job().pmu;
  if (asked.need == pmu::Need::off) return true;
  pmu::Request request = asked;
  // Of this copy of the job, so that copies do not change groups in step.
  request.seed = work_.pattern.seed;
  // Here, on the worker's own thread: perf events are of the thread that opens them.
  session_ = std::make_unique<pmu::Session>(std::move(request));
  if (asked.need != pmu::Need::required || session_->shortfall().empty()) return true;
  errors_.push_back({"pmu", first_path(), 0, 0, ENOTSUP, "pmu=require: " + session_->shortfall()});
  return false;
}

void Worker::watch_pmu() const noexcept {
  if (session_ != nullptr) session_->watch();
}

void Worker::fill_pmu(results::Job& out) const {
  if (session_ == nullptr) return;
  out.pmu = session_->counts();
  // By the name, for no flag says it: kernel threads are no threads of the engine's own. So the
  // scope says what the totals lack.
  if (std::string_view(work_.engine->name).starts_with("io_uring"))
    out.pmu.scope +=
        "; the kernel's threads that work for io_uring (iou-wrk, iou-sqp) are not in it";
  if ((work_.engine->flags & kOwnsThreads) != 0)
    out.pmu.scope += "; threads that the engine starts are not in it";
  // A note, since figures stand: they are of a job that was slowed down.
  if (out.pmu.overhead_percent.value_or(0) > job().spec.job.pmu_budget)
    out.notes.emplace_back(
        "counting events took more of the CPU time than pmu_budget: the I/O was slower for it");
}

}  // namespace chronio::runner

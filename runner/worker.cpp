// worker.cpp: set-up and tear-down of a worker, on its own thread.
#include "runner/worker.hpp"

#include "engines/registry.hpp"
#include "runner/loop.hpp"
#include "target/target.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <exception>
#include <fcntl.h>
#include <fmt/format.h>
#include <new>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <system_error>
#include <unistd.h>

namespace chronio::runner {
namespace {

// Failed requests that are listed one by one; all others are counted. A job ends with its first
// failure, so that only what was outstanding then can add to it.
constexpr std::size_t kErrorsKept = 16;

const char* name_of(Ddir ddir) noexcept {
  switch (ddir) {
    case Ddir::read: return "read";
    case Ddir::write: return "write";
    case Ddir::trim: return "trim";
    case Ddir::sync: return "fsync";
    case Ddir::datasync: return "fdatasync";
    case Ddir::sync_file_range: return "sync_file_range";
  }
  return "request";
}

Advice advice_of(const jobs::Job& job) noexcept {
  switch (jobs::order_hint(job.fadvise_hint, job.rw)) {
    case jobs::FadviseHint::random: return Advice::random;
    case jobs::FadviseHint::sequential: return Advice::sequential;
    default: return Advice::none;
  }
}

std::uint64_t unix_ms() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(
                                        std::chrono::system_clock::now().time_since_epoch())
                                        .count());
}

/// What an engine's open() most likely lacked, as a further sentence; empty when nothing is known.
/// The errno alone says what the kernel found wrong, not which of the job's wishes asked for it.
std::string hint(int error, const WorkerPlan& work, const PlannedJob& planned) {
  // io_setup(2): the requests that all processes have reserved are as many as may be.
  if (error == EAGAIN)
    return fmt::format(
        "; the kernel keeps no more requests: see /proc/sys/fs/aio-nr and aio-max-nr, "
        "or lower iodepth={}",
        work.iodepth);
  // Registered buffers are locked memory, which unprivileged users have little of.
  if (error == ENOMEM) {
    rlimit limit = {};
    ::getrlimit(RLIMIT_MEMLOCK, &limit);
    return fmt::format(
        "; RLIMIT_MEMLOCK is {} bytes, and the job's buffers take {} bytes",
        limit.rlim_cur == RLIM_INFINITY ? std::string("unlimited") : std::to_string(limit.rlim_cur),
        std::uint64_t{work.buf_stride} * work.iodepth);
  }
  if (is_on_ring(planned) && (error == ENOSYS || error == EPERM))
    return "; the kernel refuses this interface (see /proc/sys/kernel/io_uring_disabled), psync "
           "works everywhere";
  if (error != EINVAL) return {};
  std::string asked = fmt::format("iodepth={}", work.iodepth);
  for (const EngineOption& option : planned.engine_options)
    if (last_setting(planned.spec.unknown, option.name) != nullptr)
      asked += fmt::format(" or {}={}", option.name, option.text);
  return fmt::format("; {} is not possible on this kernel", asked);
}

}  // namespace

Worker::Worker(const Plan& plan, const WorkerPlan& work, const clock::Timebase& timebase,
               Gate& gate)
    : plan_(plan), work_(work), timebase_(timebase), gate_(gate) {}

Worker::~Worker() {
  if (thread_.joinable()) thread_.join();
}

bool Worker::start(const std::string& position) {
  try {
    // An error of this job, not the end of the program: the stage is given up, and what ran before
    // has a result.
    thread_ = std::thread([this] { run(); });
    return true;
  } catch (const std::system_error& error) {
    const int code = error.code().value();
    errors_.push_back({"start", first_path(), 0, 0, code,
                       fmt::format("cannot start the thread of job {} ({}): {}; raise ulimit -u or "
                                   "the cgroup's pids.max, or ask for fewer numjobs",
                                   job().spec.job.name, position, describe_result(-code))});
    return false;
  }
}

void Worker::join() {
  if (thread_.joinable()) thread_.join();
}

void Worker::abandon() { thread_.detach(); }

const std::string& Worker::first_path() const {
  return plan_.targets[work_.files.front().target].target.path;
}

bool Worker::made_its_files() const noexcept {
  if (!has_flag(*work_.engine, kMakesFiles)) return false;
  if (!has_flag(*work_.engine, kWholeFiles)) return engine_open_;
  return errors_.empty() && live_.finished.get() == files_.size();
}

void Worker::run() {
  const bool ready = guarded("set-up", [this] { return set_up(); });
  // Also when set-up failed: the others would wait for ever.
  gate_.arrive();
  // A worker that is not ready waits as well, so that all of a stage leave together.
  const bool go = gate_.pass(ready ? job().spec.job.startdelay_ns : 0);
  job_start_ms_ = unix_ms();
  start_ticks_ = timebase_.now();
  // Of a worker that never measures: an empty part at its start, so that no time is wild.
  measured_ = {start_ticks_, start_ticks_, {}};
  // Its memory is the loop's own to take.
  if (ready && go) static_cast<void>(guarded("run", [this] { return measure(), true; }));
  // Before `over` and leave(): when the coordinator sees those, devices and memory are free.
  tear_down();
  live_.over.store(true, std::memory_order_release);
  gate_.leave();
}

template <class Step>
bool Worker::guarded(const char* name, Step step) {
  try {
    return step();
  } catch (const std::bad_alloc&) {
    fail("allocate buffers", first_path(), ENOMEM);
  } catch (const std::system_error& error) {
    errors_.push_back({name, first_path(), 0, 0, error.code().value(), error.what()});
  } catch (const std::exception& error) {
    errors_.push_back({name, first_path(), 0, 0, EIO, error.what()});
  }
  return false;
}

bool Worker::set_up() {
  // First of all: pages come from the memory of the node that first touches them.
  pin();
  make_recorders();
  buffers_.emplace(work_.iodepth, work_.buf_stride, work_.buf_align);
  // Data that no device can shrink. Only of writers: buffers of readers stay zero pages until the
  // device fills them.
  if ((work_.engine->flags & kNoData) == 0 && jobs::writes(work_.pattern.rw))
    workload::fill_random(buffers_->all(), work_.pattern.seed);
  // Events last, so that set-up is not counted.
  return open_files() && open_engine() && open_pmu();
}

void Worker::pin() {
  const std::vector<std::uint32_t>& cpus = job().spec.job.cpus_allowed;
  if (cpus.empty()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const std::uint32_t cpu : cpus) CPU_SET(cpu, &set);
  // A note, no error: the run measures what it measures, on other CPUs. The plan has checked
  // against this process's own mask, so that only a change since then leads here.
  if (const int error = ::pthread_setaffinity_np(::pthread_self(), sizeof set, &set); error != 0)
    notes_.push_back(fmt::format("cpus_allowed could not be set: {}", describe_result(-error)));
}

void Worker::make_recorders() {
  const jobs::Job& options = job().spec.job;
  const Latencies measured = latencies();
  const auto make = [&](std::size_t index) {
    auto recorder = std::make_unique<Recorder>();
    const bool sync = index == kSyncRecorder;
    if (!sync && options.lat_percentiles && measured.lat)
      recorder->lat = std::make_unique<stats::Histogram>();
    if (!sync && options.slat_percentiles && measured.slat && !synchronous())
      recorder->slat = std::make_unique<stats::Histogram>();
    recorder->keeps_more = recorder->slat || recorder->lat;
    // A sync's whole latency lies in its clat, so that disable_clat alone does not leave it out.
    recorder->keeps_clat = measured.clat || (sync && measured.lat);
    recorders_[index] = std::move(recorder);
  };
  if (jobs::reads(options.rw)) make(0);
  if (jobs::writes(options.rw)) make(1);
  if (jobs::trims(options.rw)) make(2);
  if (options.fsync != 0 || options.fdatasync != 0) make(kSyncRecorder);
}

bool Worker::open_files() {
  const bool opens_itself = (work_.engine->flags & (kOpensFiles | kDiskless)) != 0;
  for (const PlannedFile& planned : work_.files) {
    const PlannedTarget& target = plan_.targets[planned.target];
    File& file = files_.emplace_back(File{.path = target.target.path.c_str(),
                                          .size = planned.bytes,
                                          .fd = -1,
                                          .access = work_.access,
                                          .direct = job().spec.job.direct,
                                          .laid_out = target.made,
                                          .advice = advice_of(job().spec.job)});
    try {
      if (!target.barred.empty()) throw target::Error(0, target.barred);
      // Then the engine opens by the path, so at least what stands there is held against the plan.
      if (opens_itself) {
        if (target.ready) target::check_still(*target.ready);
        continue;
      }
      file.fd = target::open_target(*target.ready, work_.access, file.direct);
      // Results ignored: these are wishes, which a file system or a missing right may deny.
      if (target.invalidate) static_cast<void>(target::drop_cache(file.fd, target.ready->kind));
      static_cast<void>(target::advise(file.fd, target.ready->kind, file.advice));
    } catch (const target::Error& error) {
      errors_.push_back({"open", target.target.path, 0, 0, error.code, error.what()});
      return false;
    }
  }
  return true;
}

Setup Worker::setup() noexcept {
  Setup setup = {};
  setup.size = sizeof setup;
  setup.iodepth = work_.iodepth;
  setup.buf_align = work_.buf_align;
  setup.buf_stride = work_.buf_stride;
  setup.buffers = buffers_->all().data();
  setup.files = files_.data();
  setup.file_count = static_cast<std::uint32_t>(files_.size());
  setup.file_size = sizeof(File);
  setup.options = options_.data();
  setup.option_count = static_cast<std::uint32_t>(options_.size());
  setup.value_size = sizeof(OptionValue);
  return setup;
}

bool Worker::open_engine() {
  for (const EngineOption& option : job().engine_options)
    // The strings belong to the plan, which outlives the engine.
    options_.push_back({option.name.c_str(), option.text.c_str(), option.number});
  engine_ = EngineHandle(*work_.engine);
  const int error = engine_->open(setup());
  engine_open_ = error == 0;
  if (error == 0) return true;
  errors_.push_back({"open", first_path(), 0, 0, -error,
                     fmt::format("ioengine={} could not be opened: {}{}", work_.engine->name,
                                 describe_result(error), hint(-error, work_, job()))});
  return false;
}

int Worker::drop_caches() noexcept {
  // Mapped pages stay whatever the kernel is asked.
  const bool reopens = has_flag(*work_.engine, kMapsFiles);
  if (reopens) engine_->close();
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const PlannedTarget& target = plan_.targets[work_.files[i].target];
    if (target.ready) static_cast<void>(target::drop_cache(files_[i].fd, target.ready->kind));
  }
  if (!reopens) return 0;
  const int error = engine_->open(setup());
  engine_open_ = error == 0;
  return error;
}

void Worker::measure() {
  live_.step.store(Step::ramping, std::memory_order_release);
  outstanding_ = run_loop(*this, timebase_);
  live_.step.store(Step::measured, std::memory_order_release);
  // Where a request hangs, fsync(2) may hang as well.
  if (outstanding_ == 0) flush();
}

void Worker::flush() {
  const jobs::Job& options = job().spec.job;
  if (!jobs::writes(options.rw)) return;
  // The kernel reports a failed write-back of buffered data only here.
  if ((!options.end_fsync && options.direct) || has_flag(*work_.engine, kDiskless)) return;
  for (const File& file : files_)
    if (file.fd >= 0 || options.end_fsync) sync(file);
  const std::uint64_t end = timebase_.now();
  const double seconds = static_cast<double>(timebase_.scale().to_ns(end - measured_.end)) * 1e-9;
  if (options.end_fsync) {
    // What end_fsync= asks for is part of the job, and so of its rates.
    measured_.end = end;
    notes_.push_back(
        fmt::format("end_fsync took {:.3f} s, which are part of the run time", seconds));
    // Else unsaid: without the note nobody knows why the run went on after its run time.
  } else if (seconds > 1) {
    notes_.push_back(fmt::format(
        "flushing buffered writes took {:.1f} s more, which are in no figure", seconds));
  }
}

void Worker::sync(const File& file) {
  // Of an engine that opens its files itself, any other descriptor is as good.
  const bool opened = file.fd < 0;
  const int fd = opened ? ::open(file.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY) : file.fd;
  if (fd < 0) return fail("open", file.path, errno);
  if (::fsync(fd) != 0 && errno != EINVAL)  // EINVAL: a special file that can't be synced
    fail("fsync", file.path, errno);
  if (opened) ::close(fd);
}

void Worker::tear_down() {
  // Whatever else is kept: its signals must not come to a thread that ends.
  if (session_ != nullptr) session_->close();
  if (outstanding_ != 0) {
    engine_.abandon();
    buffers_->abandon();
    return;
  }
  if (engine_open_) {
    // While a ring is still there: so are the kernel's workers, to be counted.
    engine_->facts(facts_);
    engine_->close();
  }
  for (const File& file : files_)
    if (file.fd >= 0) ::close(file.fd);
  buffers_.reset();
}

void Worker::fail(const char* operation, const std::string& path, int error) {
  errors_.push_back({operation, path, 0, 0, error, describe_result(-error)});
}

void Worker::fail_io(const Io& io) {
  if (errors_.size() >= kErrorsKept) {
    ++more_errors_;
    return;
  }
  const std::string& path = plan_.targets[work_.files[io.file].target].target.path;
  results::IoError error = {
      name_of(io.ddir), path, io.offset, io.len, static_cast<int>(-io.result), {}};
  // The request's own result says nothing, so it gets an errno and words.
  if (io.result == 0) {
    error.error = EIO;
    error.text = "0 bytes were transferred where data was due: the target ended early or is gone";
  } else {
    error.text = describe_result(io.result);
  }
  errors_.push_back(std::move(error));
}

}  // namespace chronio::runner

// engine_options_test.cpp: what only one engine has: its options, and what it does to its files.
#include "engines/registry.hpp"
#include "tests/conformance/checks.hpp"
#include "tests/conformance/ledger.hpp"

#include <array>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

using namespace chronio;
using namespace chronio::conformance;

Subject subject_of(const char* engine, const std::vector<const char*>& settings = {}) {
  const EngineInfo& info = find_engine(engine);
  return {&info, option_values(info, settings), std::chrono::seconds(20)};
}

Facts facts_of(const Session& session) {
  Facts facts;
  session.engine().facts(facts);
  return facts;
}

/// One request for each slot, over adjacent blocks.
void queue_all(Session& session, Ledger& ledger, Ddir ddir) {
  for (Io& io : session.ios()) {
    io.ddir = ddir;
    io.offset = std::uint64_t{io.index} * io.len;
    ledger.queue(io.index);
  }
}

off_t size_of(const char* path) {
  struct stat found {};
  return stat(path, &found) == 0 ? found.st_size : -1;
}

/// Throws unless each of the results is `wanted`.
Ledger::OnDone results_are(std::int64_t wanted) {
  return [wanted](const Io& io) {
    expect(io.result == wanted,
           "the result is " + std::to_string(io.result) + ", not " + std::to_string(wanted));
  };
}

void adjacent_go_together(const Subject& /*unused*/) {
  const Subject subject = subject_of("vsync");
  Session session(subject, {.iodepth = 8});
  session.open();
  Ledger ledger(session, results_are(4096));
  for (const Ddir ddir : {Ddir::write, Ddir::read}) {
    queue_all(session, ledger, ddir);
    expect(ledger.outstanding() == 8, "adjacent requests are not collected");
    ledger.drain();
  }
  expect(facts_of(session).enter_calls == 4, "two batches take more than a seek and a call each");
}

void others_do_not(const Subject& /*unused*/) {
  const Subject subject = subject_of("vsync");
  Session session(subject, {.iodepth = 2});
  session.open();
  Io& first = session.ios()[0];
  Io& second = session.ios()[1];
  first.ddir = second.ddir = Ddir::read;
  second.offset = 2 * std::uint64_t{first.len};
  expect(session.engine().queue(first) == Queued::pending, "the first request is not taken");
  expect(session.engine().queue(second) == Queued::busy, "a request that is not adjacent is taken");
  std::array<Io*, 2> done{};
  expect(session.engine().reap(1, done, -1) == 1 && done[0] == &first, "the first is not done");
  expect(session.engine().queue(second) == Queued::pending, "there is no room made");
  expect(session.engine().reap(1, done, -1) == 1 && done[0] == &second, "the second is not done");
}

/// Pages that nothing can be read into or written from: calls come short before them.
class NoBuffer {
 public:
  static constexpr std::size_t kBytes = 4096;
  NoBuffer() : at_(mmap(nullptr, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    expect(at_ != MAP_FAILED, "no page can be had");
  }
  NoBuffer(const NoBuffer&) = delete;
  NoBuffer& operator=(const NoBuffer&) = delete;
  ~NoBuffer() { munmap(at_, kBytes); }
  [[nodiscard]] std::byte* get() const noexcept { return static_cast<std::byte*>(at_); }

 private:
  void* at_;
};

/// Writes beyond `bytes` of a file answer EFBIG.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;
  ~FileLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

using Results = std::array<std::int64_t, 4>;

/// Of a batch of adjacent requests, the second's buffer being `buf` unless that is null.
Results results_of_batch(Session& session, Ddir ddir, std::byte* buf) {
  Results results{};
  Ledger ledger(session, [&results](const Io& io) { results[io.index] = io.result; });
  std::byte* const home = session.ios()[1].buf;
  if (buf != nullptr) session.ios()[1].buf = buf;
  queue_all(session, ledger, ddir);
  ledger.drain();
  session.ios()[1].buf = home;
  return results;
}

void each_has_its_own_result(const Subject& /*unused*/) {
  const Subject subject = subject_of("vsync");
  const NoBuffer nowhere;
  Session session(subject, {.iodepth = 4});
  session.open();
  for (const Ddir ddir : {Ddir::write, Ddir::read})
    expect(results_of_batch(session, ddir, nowhere.get()) == Results{4096, -EFAULT, 4096, 4096},
           "a request that can't be done takes others with it");
}

void a_short_call_is_made_again(const Subject& /*unused*/) {
  const Subject subject = subject_of("vsync");
  Session session(subject, {.iodepth = 4});
  session.open();
  const int fd = session.file().fd;
  expect(ftruncate(fd, 4096 + 100) == 0, "the file can't be cut");
  expect(results_of_batch(session, Ddir::read, nullptr) == Results{4096, 100, 0, 0},
         "reads at the end of the file have other results than by themselves");
  const FileLimit limit(4096 + 100);
  expect(results_of_batch(session, Ddir::write, nullptr) == Results{4096, 100, -EFBIG, -EFBIG},
         "writes beyond a limit have other results than by themselves");
}

/// Buffered reads are done while they are submitted, so that all stand in the ring.
void reaps_without_calls(const Subject& /*unused*/) {
  const Subject subject = subject_of("libaio", {"userspace_reap=1"});
  Session session(subject, {.iodepth = 4});
  session.open();
  Ledger ledger(session, results_are(4096));
  for (int batch = 0; batch < 5; ++batch) {
    queue_all(session, ledger, Ddir::read);
    ledger.drain();
  }
  const std::int64_t calls = facts_of(session).enter_calls;
  expect(calls == 5, "5 batches take " + std::to_string(calls) + " system calls");
}

void refuses_one_of_many(const Subject& /*unused*/) {
  const Subject subject = subject_of("libaio");
  Session session(subject, {.iodepth = 4, .direct = true});
  session.open();
  std::array<std::int64_t, 4> results{};
  Ledger ledger(session, [&results](const Io& io) { results[io.index] = io.result; });
  session.ios()[1].len = 100;  // no direct I/O has such a length
  queue_all(session, ledger, Ddir::write);
  ledger.drain();
  expect(results == std::array<std::int64_t, 4>{4096, -EINVAL, 4096, 4096},
         "a refused request takes others with it");
}

/// Engines that make the trim themselves, inside queue(): what is queued before it would wait for
/// it unsent.
void trims_come_behind(const Subject& /*unused*/) {
  for (const char* engine : {"libaio", "posixaio", "io_uring"}) {
    const Subject subject = subject_of(engine);
    Session session(subject, {.iodepth = 2});
    session.open();
    Io& write = session.ios()[0];
    Io& trim = session.ios()[1];
    write.ddir = Ddir::write;
    trim.ddir = Ddir::trim;
    const auto answers = [&](Io& io, Queued wanted, const char* what) {
      expect(session.engine().queue(io) == wanted, std::string(engine) + ": " + what);
    };
    answers(write, Queued::pending, "a write is not taken");
    answers(trim, Queued::busy, "a trim is made while a write waits to be handed over");
    expect(session.engine().commit() == 0, std::string(engine) + ": commit() fails");
    answers(trim, Queued::completed, "a trim is not made when all has been handed over");
    std::array<Io*, 2> done{};
    expect(session.engine().reap(1, done, -1) == 1, std::string(engine) + ": the write is lost");
  }
}

void lost_page(const Subject& /*unused*/) {
  const Subject subject = subject_of("mmap");
  Session session(subject, {.iodepth = 1});
  session.open();
  expect(truncate(session.file().path, 0) == 0, "can't cut the file");
  for (const Ddir ddir : {Ddir::read, Ddir::write, Ddir::read}) {
    Ledger ledger(session, results_are(-EIO));
    queue_all(session, ledger, ddir);
  }
}

void write_only(const Subject& /*unused*/) {
  const Subject subject = subject_of("mmap");
  const Session scratch(subject);
  const int fd = open(scratch.file().path, O_WRONLY | O_CLOEXEC);
  Shape shape{.iodepth = 1};
  shape.access = Access::write_only;
  Session session(subject, shape, fd);
  session.open();
  {
    Ledger ledger(session, results_are(4096));
    queue_all(session, ledger, Ddir::write);
  }
  session.close();
  close(fd);
}

void destroys_own_only(const Subject& /*unused*/) {
  for (const char* engine : {"ftruncate", "filedelete"}) {
    const Subject subject = subject_of(engine);
    Shape shape{};
    shape.laid_out = false;
    Session session(subject, shape);
    expect(session.try_open() == -EPERM, std::string(engine) + " takes a file of somebody else");
    expect(size_of(session.file().path) == 64 * 4096, std::string(engine) + " touched it");
  }
}

void truncates(const Subject& /*unused*/) {
  const Subject subject = subject_of("ftruncate");
  Session session(subject, {.iodepth = 1});
  session.open();
  Ledger ledger(session, results_are(4096));
  for (const std::uint64_t bytes : {std::uint64_t{8192}, std::uint64_t{40960}}) {
    session.ios()[0].ddir = Ddir::write;
    session.ios()[0].offset = bytes;
    ledger.queue(0);
    expect(size_of(session.file().path) == static_cast<off_t>(bytes), "the file has another size");
  }
}

void keeps_size_when_reading(const Subject& /*unused*/) {
  const Subject subject = subject_of("falloc");
  Session session(subject, {.iodepth = 1});
  session.open();
  Ledger ledger(session, results_are(4096));
  const char* path = session.file().path;
  queue_all(session, ledger, Ddir::read);
  expect(size_of(path) == 0, "a read makes the file longer");
  queue_all(session, ledger, Ddir::write);
  expect(size_of(path) == 4096, "a write does not make the file longer");
}

bool has_direct(const Subject& subject) {
  try {
    const Session session(subject, {.direct = true});
    return true;
  } catch (const std::exception&) {
    return false;  // this file system takes no O_DIRECT
  }
}

constexpr std::array kChecks{
    Check{"vsync: adjacent requests go out as one call", adjacent_go_together, nullptr},
    Check{"vsync: a request that is not adjacent waits its turn", others_do_not, nullptr},
    Check{"vsync: a request that can't be done is no other's fault", each_has_its_own_result,
          nullptr},
    Check{"vsync: behind a short call each request has its own result", a_short_call_is_made_again,
          nullptr},
    Check{"libaio: userspace_reap spares the call that reaps", reaps_without_calls, nullptr},
    Check{"libaio: a refused request leaves the others alone", refuses_one_of_many, has_direct},
    Check{"a trim is not made before what was queued is handed over", trims_come_behind, nullptr},
    Check{"mmap: a page that the file has lost gives EIO", lost_page, nullptr},
    Check{"mmap: a descriptor for writing only can be used", write_only, nullptr},
    Check{"ftruncate, filedelete: files of somebody else are refused", destroys_own_only, nullptr},
    Check{"ftruncate: a write cuts and extends the file to its offset", truncates, nullptr},
    Check{"falloc: a read keeps the size, a write does not", keeps_size_when_reading, nullptr},
};

}  // namespace

int main() { return passes(subject_of("psync"), kChecks) ? 0 : 1; }

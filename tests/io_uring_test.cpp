// io_uring_test.cpp: what only the io_uring engine has: its options, limits and facts.
#include "engines/registry.hpp"
#include "tests/conformance/checks.hpp"
#include "tests/conformance/ledger.hpp"

#include <array>
#include <chrono>
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace {

using namespace chronio;
using namespace chronio::conformance;

Subject with(const Subject& subject, const std::vector<const char*>& settings) {
  return {subject.info, option_values(*subject.info, settings), subject.patience};
}

int opened(const char* path) {
  const int fd = open(path, O_RDWR | O_CLOEXEC);
  expect(fd >= 0, std::string("can't open ") + path);
  return fd;
}

void queue_reads(Session& session, Ledger& ledger) {
  for (Io& io : session.ios()) {
    io.ddir = Ddir::read;
    ledger.queue(io.index);
  }
}

Facts facts_of(const Session& session) {
  Facts facts;
  session.engine().facts(facts);
  return facts;
}

void one_call_a_batch(const Subject& subject) {
  const int zero = opened("/dev/zero");  // a read of it is done while it is submitted
  Session session(subject, {.iodepth = 4}, zero);
  session.open();
  Ledger ledger(session);
  for (int batch = 0; batch < 5; ++batch) {
    queue_reads(session, ledger);
    ledger.commit();
    expect(ledger.reap(4, 4, -1) == 4, "not all reads come back");
  }
  const Facts facts = facts_of(session);
  close(zero);
  expect(facts.enter_calls == 5,
         "5 batches that are done at once make " + std::to_string(facts.enter_calls) + " calls");
  // Not told apart before Linux 6.1.
  expect(facts.inline_completions == 20 || facts.inline_completions == -1,
         "inline completions: " + std::to_string(facts.inline_completions) + " of 20");
  expect(facts.fixed_buffers == 0 && facts.registered_files == 0 && facts.polled == 0,
         "facts tell of something that was not asked for");
}

void one_call_to_submit_and_wait(const Subject& subject) {
  const int zero = opened("/dev/zero");
  Session session(subject, {.iodepth = 4}, zero);
  session.open();
  Ledger ledger(session);
  for (int batch = 0; batch < 5; ++batch) {
    queue_reads(session, ledger);
    expect(ledger.reap(4, 4, batch % 2 == 0 ? -1 : 1'000'000'000) == 4, "not all come back");
  }
  const Facts facts = facts_of(session);
  close(zero);
  expect(facts.enter_calls == 5,
         "5 batches without commit() make " + std::to_string(facts.enter_calls) + " calls");
  expect(facts.inline_completions == -1, "inline completions are told, but nobody can know them");
}

void registered(const Subject& plain) {
  const Subject subject = with(plain, {"fixedbufs=1", "registerfiles=1"});
  Session session(subject);
  session.open();
  const Facts facts = facts_of(session);
  expect(facts.fixed_buffers == 1 && facts.registered_files == 1, "facts don't tell of them");
}

void forced(const Subject& plain) {
  const Subject subject = with(plain, {"force_async=2"});
  Session session(subject, {.iodepth = 4});
  session.open();
  Ledger ledger(session);
  for (int batch = 0; batch < 5; ++batch) {
    queue_reads(session, ledger);
    ledger.drain();
  }
  const Facts facts = facts_of(session);
  expect(facts.punts == 10, "of 20 requests, every second forced, " + std::to_string(facts.punts) +
                                " were handed to workers");
  expect(facts.kernel_workers > 0, "no worker thread of the kernel is seen");
}

void tells_of_thread(const Subject& plain) {
  const Subject subject = with(plain, {"sqthread_poll=1"});
  Session without(plain);
  Session session(subject);
  without.open();
  session.open();
  expect(facts_of(without).sq_poll == 0 && facts_of(session).sq_poll == 1,
         "facts don't tell who submits");
}

/// The kernel's thread frees the entries of a batch when all of it is submitted. With as many
/// requests as a ring can have entries, all may be back before that.
void deep_with_thread(const Subject& plain) {
  const Subject subject = with(plain, {"sqthread_poll=1"});
  const int zero = opened("/dev/zero");
  constexpr std::uint32_t kDeepest = 32768;
  Session session(subject, {.iodepth = kDeepest, .block = 512}, zero);
  session.open();
  std::vector<Io*> done(kDeepest);
  Engine& engine = session.engine();
  // No ledger, whose own work at this depth would let the thread end its batch.
  for (int batch = 0; batch < 30; ++batch) {
    for (Io& io : session.ios()) {
      io.ddir = Ddir::read;
      expect(engine.queue(io) == Queued::pending, "busy with all requests back");
    }
    expect(engine.commit() == 0, "commit() fails");
    for (std::uint32_t back = 0; back < kDeepest;) {
      const int n = engine.reap(1, done, -1);
      expect(n > 0, "reap() fails");
      back += static_cast<std::uint32_t>(n);
    }
  }
  session.close();
  close(zero);
}

/// A read of an empty pipe, which would wait for ever.
void no_waiting(const Subject& plain) {
  const Subject subject = with(plain, {"nowait=1"});
  std::array<int, 2> ends{};
  expect(pipe2(ends.data(), O_CLOEXEC) == 0, "no pipe");
  {
    Session session(subject, {.iodepth = 1}, ends[0]);
    session.open();
    Ledger ledger(session, [](const Io& io) {
      expect(io.result == -EAGAIN, "nowait has the result " + std::to_string(io.result));
    });
    queue_reads(session, ledger);
    ledger.drain();
  }
  close(ends[0]);
  close(ends[1]);
}

/// One read that has to wait for the disk, beside any number that the page cache answers at once.
void no_starving(const Subject& subject) {
  Session session(subject, {.iodepth = 2, .blocks = 4096});
  const int fd = session.file().fd;
  const std::vector<char> some(std::size_t{4096} * 4096, 'x');
  expect(pwrite(fd, some.data(), some.size(), 0) == static_cast<ssize_t>(some.size()) &&
             fsync(fd) == 0 && posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) == 0,
         "can't fill the file");
  expect(pread(fd, session.ios()[1].buf, 4096, 0) == 4096, "can't read the file");
  session.open();
  bool waits = true;
  Ledger ledger(session, [&waits](const Io& io) { waits = waits && io.index != 0; });
  session.ios()[0].offset = std::uint64_t{4095} * 4096;
  session.ios()[1].offset = 0;
  ledger.queue(0);
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (waits) {
    ledger.queue(1);
    ledger.commit();
    do ledger.reap(1, 2, -1);
    while (ledger.outstanding() > (waits ? 1U : 0U));
    expect(std::chrono::steady_clock::now() < give_up,
           "a request that waited is never handed back");
  }
}

void hybrid_needs_polling(const Subject& plain) {
  const Subject subject = with(plain, {"hybrid_poll=1"});
  Session session(subject);
  expect(session.try_open() == -EINVAL, "hybrid_poll without hipri is not refused");
}

void too_deep(const Subject& subject) {
  Session deepest(subject, {.iodepth = 32768, .block = 512});
  deepest.open();
  Session deeper(subject, {.iodepth = 32769, .block = 512});
  expect(deeper.try_open() == -EINVAL, "iodepth 32769 is not refused as the kernel does");
}

void polling_needs_direct(const Subject& plain) {
  const Subject subject = with(plain, {"hipri=1"});
  Session session(subject);
  expect(session.try_open() == -EOPNOTSUPP, "hipri without direct is not refused");
}

/// A device without poll queues, or a file system that can't poll, may refuse; nothing may hang.
void polling_ends(const Subject& plain) {
  const Subject subject = with(plain, {"hipri=1"});
  Session session(subject, {.direct = true});
  session.open();
  Ledger ledger(session, [](const Io& io) {
    const bool syncs = io.ddir == Ddir::sync || io.ddir == Ddir::datasync;
    const bool refused = io.result == -EOPNOTSUPP && !syncs;
    expect(io.result == io.len || refused, "hipri has the result " + std::to_string(io.result));
  });
  ledger.run(64, [&session](Io& io, std::uint64_t n) {
    io.ddir = n % 16 == 15 ? Ddir::sync : n % 2 == 0 ? Ddir::write : Ddir::read;
    io.len = io.ddir == Ddir::sync ? 0 : session.shape().block;
    io.offset = n * io.len;
  });
  expect(ledger.returned() == 64, "not all requests come back");
}

bool has_direct(const Subject& subject) {
  try {
    const Session session(subject, {.direct = true});
    return true;
  } catch (const std::exception&) {
    return false;  // this file system takes no O_DIRECT
  }
}

/// While it lives, this thread may lock `bytes` of memory and has no privilege to lock more.
class LockLimit {
 public:
  explicit LockLimit(rlim_t bytes) {
    getrlimit(RLIMIT_MEMLOCK, &before_);
    const rlimit low{bytes, before_.rlim_max};
    syscall(SYS_capget, &header_, had_.data());
    auto less = had_;
    less[CAP_TO_INDEX(CAP_IPC_LOCK)].effective &= ~CAP_TO_MASK(CAP_IPC_LOCK);
    expect(setrlimit(RLIMIT_MEMLOCK, &low) == 0 && syscall(SYS_capset, &header_, less.data()) == 0,
           "can't lower the limit of locked memory");
  }
  LockLimit(const LockLimit&) = delete;
  LockLimit& operator=(const LockLimit&) = delete;
  LockLimit(LockLimit&&) = delete;
  LockLimit& operator=(LockLimit&&) = delete;
  ~LockLimit() {
    syscall(SYS_capset, &header_, had_.data());
    setrlimit(RLIMIT_MEMLOCK, &before_);
  }

 private:
  rlimit before_{};
  __user_cap_header_struct header_{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> had_{};
};

void locked_memory(const Subject& plain) {
  const Subject subject = with(plain, {"fixedbufs=1"});
  const LockLimit limit(rlim_t{64} << 10);
  Session session(subject, {.iodepth = 64, .block = 65536});
  expect(session.try_open() == -ENOMEM, "4 MiB are registered against a limit of 64 KiB");
}

constexpr std::array kChecks{
    Check{"a batch that is done at once costs one system call", one_call_a_batch, nullptr},
    Check{"reap() submits and waits in one system call", one_call_to_submit_and_wait, nullptr},
    Check{"facts() tells of registered buffers and files", registered, nullptr},
    Check{"force_async=2 hands every second request to a worker", forced, nullptr},
    Check{"facts() tells of the thread that submits", tells_of_thread, nullptr},
    Check{"the deepest ring has room for each batch with a thread that submits", deep_with_thread,
          nullptr},
    Check{"nowait gives EAGAIN where a request would wait", no_waiting, nullptr},
    Check{"a request that waits is not starved by others that don't", no_starving, nullptr},
    Check{"hybrid_poll without hipri gives EINVAL", hybrid_needs_polling, nullptr},
    Check{"an iodepth above the kernel's limit gives EINVAL", too_deep, nullptr},
    Check{"hipri without direct gives EOPNOTSUPP", polling_needs_direct, nullptr},
    Check{"hipri ends on any device, syncs included", polling_ends, has_direct},
    Check{"buffers above the limit of locked memory give ENOMEM", locked_memory, nullptr},
};

}  // namespace

int main() {
  const EngineInfo& info = find_engine("io_uring");
  const Subject subject{&info, option_values(info, {}), std::chrono::seconds(20)};
  if (is_refused(subject)) return 77;
  return passes(subject, kChecks) ? 0 : 1;
}

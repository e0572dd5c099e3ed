// resource_checks.cpp: what an engine takes and gives back: memory, descriptors, threads.
#include "tests/conformance/allocations.hpp"
#include "tests/conformance/checks.hpp"
#include "tests/conformance/ledger.hpp"

#include <array>
#include <filesystem>
#include <future>
#include <iterator>

namespace chronio::conformance {
namespace {

/// Writes and reads in turn, over the whole scratch file.
void work(Session& session, Ledger& ledger, std::uint64_t count) {
  ledger.run(count, [&session](Io& io, std::uint64_t n) {
    io.ddir = n % 2 == 0 ? Ddir::write : session.subject().other();
    io.offset = n % session.shape().blocks * io.len;
  });
}

void no_allocation(const Subject& subject) {
  Session session(subject);
  session.open();
  Ledger ledger(session);
  const std::uint64_t before = allocations();
  work(session, ledger, 2000);
  const std::uint64_t made = allocations() - before;
  expect(made == 0, "2000 requests allocate memory " + std::to_string(made) + " times");
}

void two_threads(const Subject& subject) {
  const auto worker = [&subject] {
    Session session(subject);
    session.open();
    Ledger ledger(session, [](const Io& io) {
      expect(io.result == io.len,
             "beside another worker a transfer has the result " + std::to_string(io.result));
    });
    work(session, ledger, 2000);
  };
  auto other = std::async(std::launch::async, worker);
  worker();
  other.get();
}

std::ptrdiff_t open_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

void no_leak(const Subject& subject) {
  const auto open_once = [&subject] {
    Session session(subject);
    session.open();
    Ledger ledger(session);
    work(session, ledger, 16);
    session.close();
  };
  open_once();  // what is kept for all workers is no leak
  const std::ptrdiff_t before = open_descriptors();
  for (int i = 0; i < 100; ++i) open_once();
  const std::ptrdiff_t more = open_descriptors() - before;
  expect(more == 0, std::to_string(more) + " descriptors stay open after 100 workers");
}

void tells_facts(const Subject& subject) {
  Session session(subject);
  Geometry geometry{};
  const int answer = session.engine().geometry(session.file(), geometry);
  expect(answer <= 0, "geometry() answers " + std::to_string(answer) + ", neither 0 nor -errno");
  session.open();
  Ledger ledger(session);
  work(session, ledger, 64);
  Facts facts;
  session.engine().facts(facts);
  for (const std::int64_t fact :
       {facts.polled, facts.fixed_buffers, facts.registered_files, facts.enter_calls,
        facts.inline_completions, facts.punts, facts.sq_poll, facts.kernel_workers}) {
    expect(fact >= -1, "facts() tells " + std::to_string(fact) + "; -1 is unknown");
  }
}

constexpr std::array kChecks{
    Check{"no memory is allocated after open()", no_allocation, nullptr},
    Check{"two workers don't disturb each other", two_threads, nullptr},
    Check{"a hundred workers leave no descriptor open", no_leak, nullptr},
    Check{"geometry() and facts() answer sensibly", tells_facts, nullptr},
};

}  // namespace

std::span<const Check> resource_checks() { return kChecks; }

}  // namespace chronio::conformance

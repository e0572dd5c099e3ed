// plugin_test.cpp: plugins that are refused when loaded, and that the engines made for other tests
// do what their options say.
#include "engines/registry.hpp"
#include "tests/catch.hpp"
#include "tests/conformance/ledger.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdlib.h>
#include <unistd.h>

namespace {

using namespace chronio;
using namespace chronio::conformance;

std::string complaint(const std::string& path) {
  try {
    static_cast<void>(find_engine("external:" + path));
    return "";
  } catch (const EngineError& error) {
    return error.what();
  }
}

Subject subject_of(const std::string& path, const std::vector<const char*>& settings) {
  const EngineInfo& info = find_engine("external:" + path);
  return {&info, option_values(info, settings), std::chrono::seconds(20)};
}

void make_read(Io& io, std::uint64_t n) {
  io.ddir = Ddir::read;
  io.offset = n * io.len;
}

/// Results of six reads of 4096 bytes with the faulty engine, in the order in which they came back.
std::vector<std::int64_t> results(const std::vector<const char*>& settings) {
  const Subject subject = subject_of(FAULTY_PLUGIN, settings);
  Session session(subject);
  session.open();
  std::vector<std::int64_t> all;
  Ledger ledger(session, [&all](const Io& io) { all.push_back(io.result); });
  ledger.run(6, make_read);
  return all;
}

using Results = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("plugin: one that was built for another version is refused when loaded", "[engines]") {
  CHECK(complaint(NULL_PLUGIN).empty());
  CHECK(complaint(OTHER_MAJOR_PLUGIN).find("another major version") != std::string::npos);
  CHECK(complaint(NEWER_MINOR_PLUGIN).find("newer than this program's") != std::string::npos);
}

TEST_CASE("plugin: one that was built for the minor version before loads", "[engines]") {
  const EngineInfo& info = find_engine(std::string("external:") + PREVIOUS_MINOR_PLUGIN);
  CHECK(info.api_major == kEngineApiMajor);
  CHECK(info.api_minor + 1 == kEngineApiMinor);
  CHECK(incompatible(info).empty());
}

TEST_CASE("plugin: a plugin is loaded once", "[engines]") {
  CHECK(&find_engine(std::string("external:") + NULL_PLUGIN) ==
        &find_engine(std::string("external:") + NULL_PLUGIN));
  CHECK(&find_engine(std::string("external:") + NULL_PLUGIN) != &find_engine("null"));
}

TEST_CASE("plugin: the faulty engine fails the I/O that it is told to", "[engines]") {
  CHECK(results({}) == Results(6, 4096));
  CHECK(results({"error_at=2"}) == Results{4096, -5, 4096, 4096, 4096, 4096});
  CHECK(results({"error_at=6", "error_number=4737"}) ==
        Results{4096, 4096, 4096, 4096, 4096, -4737});
  CHECK(results({"short_at=1"}) == Results{2048, 4096, 4096, 4096, 4096, 4096});
  CHECK(results({"zero_at=3"}) == Results{4096, 4096, 0, 4096, 4096, 4096});
  CHECK(results({"busy_every=1"}) == Results(6, 4096));
}

TEST_CASE("plugin: the faulty engine refuses each n-th I/O once", "[engines]") {
  const Subject subject = subject_of(FAULTY_PLUGIN, {"busy_every=2"});
  Session session(subject);
  session.open();
  Io& io = session.ios()[0];
  std::vector<Queued> answers;
  for (int i = 0; i < 6; ++i) answers.push_back(session.engine().queue(io));
  CHECK(answers == std::vector{Queued::pending, Queued::busy, Queued::pending, Queued::pending,
                               Queued::busy, Queued::pending});
}

TEST_CASE("plugin: the faulty engine holds a stalled I/O back, and others not", "[engines]") {
  using std::chrono::steady_clock;
  const Subject subject = subject_of(FAULTY_PLUGIN, {"stall_at=1", "stall_ms=30"});
  Session session(subject);
  session.open();
  std::vector<std::uint64_t> offsets;
  Ledger ledger(session, [&offsets](const Io& io) { offsets.push_back(io.offset); });
  const auto start = steady_clock::now();
  ledger.run(3, make_read);
  CHECK(steady_clock::now() - start >= std::chrono::milliseconds(30));
  CHECK(offsets == std::vector<std::uint64_t>{4096, 8192, 0});
}

TEST_CASE("plugin: the faulty engine never ends a hanging I/O, but keeps time", "[engines]") {
  const Subject subject = subject_of(FAULTY_PLUGIN, {"hang_at=1"});
  Session session(subject);
  session.open();
  Ledger ledger(session);
  for (const std::uint32_t slot : {0U, 1U}) {
    make_read(session.ios()[slot], slot);
    ledger.queue(slot);
  }
  CHECK(ledger.reap(1, 2, -1) == 1);
  CHECK(ledger.reap(1, 2, 1'000'000) == 0);
  CHECK(ledger.reap(1, 2, 0) == 0);
  CHECK(ledger.outstanding() == 1);
}

TEST_CASE("plugin: the tally engine writes down every I/O in its order", "[engines]") {
  std::string path = (std::filesystem::temp_directory_path() / "tally.XXXXXX").string();
  const int fd = mkstemp(path.data());
  REQUIRE(fd >= 0);
  close(fd);
  const std::string setting = "tally_file=" + path;
  for (int worker = 0; worker < 2; ++worker) {  // the second adds its lines to the first's
    const Subject subject = subject_of(TALLY_PLUGIN, {setting.c_str()});
    Session session(subject);
    session.open();
    Ledger ledger(session);
    ledger.run(2, [](Io& io, std::uint64_t n) {
      make_read(io, n + 3);
      if (n == 1) io.ddir = Ddir::write;
    });
    session.ios()[0].ddir = Ddir::sync_file_range;
    ledger.queue(0);
    ledger.drain();
  }
  std::ifstream file(path);
  std::string text;
  std::getline(file, text, '\0');
  std::filesystem::remove(path);
  const std::string once = "read 12288 4096\nwrite 16384 4096\nsync_file_range 12288 4096\n";
  CHECK(text == once + once);
}

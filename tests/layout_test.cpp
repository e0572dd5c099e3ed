// layout_test.cpp: files are laid out whole and full, or not at all.
#include "target/layout.hpp"

#include "target/target.hpp"
#include "tests/catch.hpp"
#include "tests/temp_folder.hpp"

#include <array>
#include <cmath>
#include <csignal>
#include <set>
#include <sys/resource.h>
#include <sys/stat.h>

using namespace chronio::target;
using chronio::tests::contents_of;
using chronio::tests::TempFolder;

namespace {

const std::atomic<bool> kGoOn{false};
constexpr std::uint64_t kMiB = 1U << 20;

/// Limits the size of files for a while; writes beyond it answer EFBIG instead of ending the test.
class FileLimit {
 public:
  FileLimit() : handler_(std::signal(SIGXFSZ, SIG_IGN)) { ::getrlimit(RLIMIT_FSIZE, &before_); }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;
  ~FileLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  void set(std::uint64_t bytes) const {
    const rlimit limit = {bytes, before_.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  }

 private:
  rlimit before_ = {};
  void (*handler_)(int);
};

void lay_out(const std::string& path, std::uint64_t bytes, const std::atomic<bool>& stop,
             const std::function<void(std::uint64_t)>& progress) {
  chronio::target::lay_out(inspect(path), bytes, stop, progress);
}

void preallocate(const std::string& path, std::uint64_t bytes) {
  chronio::target::preallocate(inspect(path), bytes);
}

Error failure(const std::string& path, std::uint64_t bytes, const std::atomic<bool>& stop = kGoOn,
              const std::function<void(std::uint64_t)>& progress = {}) {
  try {
    lay_out(path, bytes, stop, progress);
  } catch (const Error& error) {
    return error;
  }
  return {0, "it succeeded"};
}

bool names(const Error& error, const std::string& words) {
  INFO(error.what());
  return std::string(error.what()).find(words) != std::string::npos;
}

bool exists(const std::string& path) { return std::filesystem::exists(path); }

/// Shannon entropy of the bytes, in bits per byte.
double entropy(const std::string& data) {
  std::array<double, 256> counts = {};
  for (const char c : data) counts[static_cast<unsigned char>(c)] += 1;
  double bits = 0;
  for (const double count : counts)
    if (count > 0)
      bits -= count / static_cast<double>(data.size()) *
              std::log2(count / static_cast<double>(data.size()));
  return bits;
}

}  // namespace

TEST_CASE("layout: an absent file gets exactly the size asked for, whatever it is", "[target]") {
  const TempFolder folder;
  for (const std::uint64_t bytes : {std::uint64_t{1}, std::uint64_t{4096}, kMiB, 3 * kMiB + 777}) {
    const std::string path = folder / std::to_string(bytes);
    lay_out(path, bytes, kGoOn, {});
    CHECK(inspect(path).bytes == bytes);
  }
}

TEST_CASE("layout: the data can't be compressed and no sector comes twice", "[target]") {
  const TempFolder folder;
  lay_out(folder / "a", 2 * kMiB, kGoOn, {});
  lay_out(folder / "b", 2 * kMiB, kGoOn, {});
  const std::string data = contents_of(folder / "a") + contents_of(folder / "b");
  // Of n random bytes the entropy falls short of 8 bits by about 255 / (2 n ln 2): 0.00005 here.
  CHECK(entropy(data) > 7.999);
  std::set<std::string> sectors;
  for (std::size_t at = 0; at < data.size(); at += 512) sectors.insert(data.substr(at, 512));
  CHECK(sectors.size() == data.size() / 512);
}

TEST_CASE("layout: a shorter file is extended and keeps what it had", "[target]") {
  const TempFolder folder;
  const std::string path = folder.write("a", "first words");
  lay_out(path, 10'000, kGoOn, {});
  const std::string data = contents_of(path);
  CHECK(data.size() == 10'000);
  CHECK(data.substr(0, 11) == "first words");
  CHECK(entropy(data.substr(11)) > 7.9);
}

TEST_CASE("layout: a file that is long enough is left alone", "[target]") {
  const TempFolder folder;
  const std::string path = folder.write("a", "0123456789");
  lay_out(path, 5, kGoOn, {});
  lay_out(path, 10, kGoOn, {});
  CHECK(contents_of(path) == "0123456789");
}

TEST_CASE("layout: progress counts up to the bytes written", "[target]") {
  const TempFolder folder;
  std::vector<std::uint64_t> seen;
  lay_out(folder / "a", 2 * kMiB + 5, kGoOn, [&](std::uint64_t bytes) { seen.push_back(bytes); });
  CHECK(seen == std::vector<std::uint64_t>{kMiB, 2 * kMiB, 2 * kMiB + 5});
}

TEST_CASE("layout: progress of a file that grows is that of what is added", "[target]") {
  const TempFolder folder;
  const std::string path = folder.write("a", std::string(kMiB, 'x'));
  std::vector<std::uint64_t> seen;
  lay_out(path, 3 * kMiB, kGoOn, [&](std::uint64_t bytes) { seen.push_back(bytes); });
  CHECK(seen == std::vector<std::uint64_t>{kMiB, 2 * kMiB});
}

TEST_CASE("layout: what was laid out is wholly on the disk", "[target]") {
  const TempFolder folder;
  lay_out(folder / "a", 2 * kMiB, kGoOn, {});
  CHECK(unwritten_bytes(folder / "a", 0, 2 * kMiB) == 0);
}

TEST_CASE("layout: a size beyond the free space names both numbers and leaves nothing",
          "[target]") {
  const TempFolder folder;
  constexpr std::uint64_t kPiB = 1ULL << 50;
  const Error error = failure(folder / "a", kPiB);
  CHECK(error.code == ENOSPC);
  CHECK(names(error, "a: needs 1125899906842624 more bytes"));
  CHECK(names(error, "free"));
  CHECK_FALSE(exists(folder / "a"));
  CHECK(failure(folder / "a", ~0ULL).code == EFBIG);
  CHECK_FALSE(exists(folder / "a"));
}

TEST_CASE("layout: a limit on file sizes is met before the first byte", "[target]") {
  const TempFolder folder;
  const FileLimit limit;
  limit.set(kMiB);
  const Error error = failure(folder / "a", 2 * kMiB);
  CHECK(error.code == EFBIG);
  CHECK(names(error, "ulimit -f"));
  CHECK_FALSE(exists(folder / "a"));
}

TEST_CASE("layout: a write that fails midway takes the new file with it", "[target]") {
  const TempFolder folder;
  const FileLimit limit;
  const Error error = failure(folder / "a", 8 * kMiB, kGoOn, [&](std::uint64_t bytes) {
    if (bytes == 2 * kMiB) limit.set(3 * kMiB);
  });
  CHECK(error.code == EFBIG);
  CHECK(names(error, "laying out 8388608 bytes stopped at 3145728"));
  CHECK_FALSE(exists(folder / "a"));
}

TEST_CASE("layout: a write that fails midway cuts an extended file back", "[target]") {
  const TempFolder folder;
  const std::string path = folder.write("a", "kept");
  const FileLimit limit;
  const Error error = failure(path, 8 * kMiB, kGoOn, [&](std::uint64_t) { limit.set(3 * kMiB); });
  CHECK(error.code == EFBIG);
  CHECK(contents_of(path) == "kept");
}

TEST_CASE("layout: a stop leaves no partial file", "[target]") {
  const TempFolder folder;
  std::atomic<bool> stop{false};
  const Error error = failure(folder / "a", 8 * kMiB, stop, [&](std::uint64_t) { stop = true; });
  CHECK(error.code == EINTR);
  CHECK_FALSE(exists(folder / "a"));
}

TEST_CASE("layout: a file that somebody put in the partial one's place is not removed",
          "[target]") {
  const TempFolder folder;
  std::atomic<bool> stop{false};
  failure(folder / "a", 8 * kMiB, stop, [&](std::uint64_t) {
    std::filesystem::remove(folder / "a");
    folder.write("a", "another's");
    stop = true;
  });
  CHECK(contents_of(folder / "a") == "another's");
}

TEST_CASE("layout: folders and devices can't be laid out, nor files under /dev", "[target]") {
  const TempFolder folder;
  CHECK(names(failure(folder.path(), kMiB), "no regular file"));
  CHECK(names(failure("/dev/null", kMiB), "no regular file"));
  CHECK(names(failure("/dev/nvme99n9", kMiB), "nothing is ever created under /dev"));
  CHECK_FALSE(exists("/dev/nvme99n9"));
  CHECK(names(failure(folder / "no/a", kMiB), "does not exist"));
  CHECK(names(failure(folder.write("plain", "") + "/a", kMiB), "is not a directory"));
}

TEST_CASE("layout: what came or changed since it was looked at is left as it is", "[target]") {
  const TempFolder folder;
  const auto refused = [](const chronio::target::Target& seen) {
    CHECK_THROWS_AS(chronio::target::lay_out(seen, kMiB, kGoOn, {}), Error);
    CHECK_THROWS_AS(chronio::target::preallocate(seen, kMiB), Error);
  };
  const auto nothing = inspect(folder / "a");
  folder.write("a", "somebody's");
  refused(nothing);
  const auto old = inspect(folder / "a");
  folder.write("b", "another's");
  std::filesystem::rename(folder / "b", folder / "a");
  refused(old);
  CHECK(contents_of(folder / "a") == "another's");
}

TEST_CASE("preallocate: room is reserved, nothing is written, and data that stood there stays",
          "[target]") {
  const TempFolder folder;
  const std::string path = folder.write("a", "kept");
  preallocate(path, kMiB);
  preallocate(folder / "new", kMiB);
  CHECK(contents_of(path).substr(0, 4) == "kept");
  if (inspect(path).bytes != kMiB) return;  // a file system that can't
  CHECK(inspect(folder / "new").bytes == kMiB);
  CHECK(unwritten_bytes(folder / "new", 0, kMiB) == kMiB);
  preallocate(path, 10);
  CHECK(inspect(path).bytes == kMiB);
}

TEST_CASE("preallocate: without the room nothing is left behind", "[target]") {
  const TempFolder folder;
  CHECK_THROWS_AS(preallocate(folder / "a", 1ULL << 50), Error);
  CHECK_FALSE(exists(folder / "a"));
  const FileLimit limit;
  limit.set(kMiB);
  CHECK_THROWS_AS(preallocate(folder / "a", 2 * kMiB), Error);
  CHECK_FALSE(exists(folder / "a"));
}

// unwritten_test.cpp: holes and unwritten extents are found, written data is not taken for them.
#include "target/fd.hpp"
#include "target/layout.hpp"
#include "tests/catch.hpp"
#include "tests/temp_folder.hpp"

#include <sys/stat.h>

using namespace chronio::target;
using chronio::tests::TempFolder;

namespace {

constexpr std::uint64_t kMiB = 1U << 20;

/// A file of 4 MiB: a hole, but for its second MiB.
std::string sparse_file(const TempFolder& folder) {
  const std::string path = folder / "sparse";
  const Fd fd = Fd::open(path, O_WRONLY | O_CREAT, 0600);
  const std::string data(kMiB, 'd');
  REQUIRE(::pwrite(fd.get(), data.data(), data.size(), kMiB) == static_cast<ssize_t>(kMiB));
  REQUIRE(::ftruncate(fd.get(), 4 * kMiB) == 0);
  return path;
}

}  // namespace

TEST_CASE("unwritten: holes are counted within the range asked for", "[target]") {
  const TempFolder folder;
  const std::string path = sparse_file(folder);
  CHECK(unwritten_bytes(path, 0, 4 * kMiB) == 3 * kMiB);
  CHECK(unwritten_bytes(path, kMiB, kMiB) == 0);
  CHECK(unwritten_bytes(path, kMiB / 2, kMiB) == kMiB / 2);
  CHECK(unwritten_bytes(path, 2 * kMiB, kMiB) == kMiB);
}

TEST_CASE("unwritten: bytes behind the end of the file don't count", "[target]") {
  const TempFolder folder;
  const std::string path = sparse_file(folder);
  CHECK(unwritten_bytes(path, 3 * kMiB, ~0ULL) == kMiB);
  CHECK(unwritten_bytes(path, 4 * kMiB, kMiB) == 0);
  CHECK(unwritten_bytes(path, ~0ULL, ~0ULL) == 0);
}

TEST_CASE("unwritten: a file just written is written, also while in the cache", "[target]") {
  const TempFolder folder;
  const std::string path = folder.write("a", std::string(kMiB, 'x'));
  CHECK(unwritten_bytes(path, 0, kMiB) == 0);
}

TEST_CASE("unwritten: space that was only reserved is unwritten", "[target]") {
  const TempFolder folder;
  const std::string path = folder / "reserved";
  const Fd fd = Fd::open(path, O_WRONLY | O_CREAT, 0600);
  if (::fallocate(fd.get(), 0, 0, 2 * kMiB) != 0) {
    WARN("this file system has no fallocate: not tried");
    return;
  }
  CHECK(unwritten_bytes(path, 0, 2 * kMiB) == 2 * kMiB);
}

TEST_CASE("unwritten: a file of many extents is counted to its end", "[target]") {
  const TempFolder folder;
  const std::string path = folder / "comb";
  const Fd fd = Fd::open(path, O_WRONLY | O_CREAT, 0600);
  const std::string tooth(4096, 't');
  constexpr int kTeeth = 300;  // more than one request to the kernel brings
  for (int i = 0; i < kTeeth; ++i)
    REQUIRE(::pwrite(fd.get(), tooth.data(), tooth.size(), off_t{i} * 2 * 65536) == 4096);
  const std::uint64_t end = (kTeeth - 1) * 2 * 65536ULL + 4096;
  CHECK(unwritten_bytes(path, 0, end) == end - kTeeth * 4096ULL);
}

TEST_CASE("unwritten: a file system without FIEMAP is asked by seeking", "[target]") {
  if (::access("/dev/shm", W_OK) != 0) {
    WARN("/dev/shm can't be written: not tried");
    return;
  }
  const std::string path = "/dev/shm/chronio_unwritten_" + std::to_string(::getpid());
  {
    const Fd fd = Fd::open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    REQUIRE(fd.ok());
    CHECK(::pwrite(fd.get(), "x", 1, 65536) == 1);
    CHECK(::ftruncate(fd.get(), kMiB) == 0);
  }
  // tmpfs keeps pages: what surrounds the one byte in its page (4 to 64 KiB) counts as written.
  const std::uint64_t hole = unwritten_bytes(path, 0, kMiB);
  ::unlink(path.c_str());
  CHECK(hole <= kMiB - 4096);
  CHECK(hole >= kMiB - 65536);
}

TEST_CASE("unwritten: what is no readable file has none", "[target]") {
  const TempFolder folder;
  CHECK(unwritten_bytes(folder / "absent", 0, kMiB) == 0);
  CHECK(unwritten_bytes(folder.path(), 0, kMiB) == 0);
  CHECK(unwritten_bytes("/dev/null", 0, kMiB) == 0);
}

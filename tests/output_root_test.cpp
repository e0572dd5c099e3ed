// output_root_test.cpp: full disks, block devices and owners. Needs root; skips (77) without.
#include "results/output.hpp"
#include "tests/catch.hpp"
#include "tests/temp_folder.hpp"

#include <cstdio>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace chronio::results;
using chronio::tests::contents_of;
using chronio::tests::TempFolder;

namespace {

const std::vector<std::string> kNoTargets;

void needs_root() {
  if (::geteuid() == 0) return;
  std::puts("skipped: needs root");
  std::fflush(stdout);
  std::_Exit(77);
}

/// A file system of its own, as small as asked for, on a folder.
class SmallDisk {
 public:
  SmallDisk(std::string path, const char* size) : path_(std::move(path)) {
    ::mkdir(path_.c_str(), 0755);
    const std::string options = std::string("size=") + size;
    if (::mount("chronio_test", path_.c_str(), "tmpfs", 0, options.c_str()) == 0) return;
    std::puts("skipped: needs the right to mount tmpfs");
    std::fflush(stdout);
    std::_Exit(77);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() { ::umount2(path_.c_str(), MNT_DETACH); }

 private:
  std::string path_;
};

std::string refusal(const std::string& path) {
  try {
    const Output output(path, kNoTargets);
  } catch (const OutputError& error) {
    return error.what();
  }
  return "accepted";
}

/// True when `body` returned true in a child that is user 65534.
template <class Body>
bool as_nobody(Body body) {
  const pid_t child = ::fork();
  if (child == 0) {
    const bool dropped = ::setgid(65534) == 0 && ::setuid(65534) == 0;
    std::_Exit(dropped && body() ? 0 : 1);
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

TEST_CASE("output: on a full disk the old file stays and no other", "[output]") {
  needs_root();
  const TempFolder folder;
  const SmallDisk disk(folder / "disk", "64k");
  const std::string path = folder.write("disk/old.json", "old");
  const Output output(path, kNoTargets);
  CHECK_THROWS_AS(output.write(std::string(1'000'000, 'x')), OutputError);
  CHECK(contents_of(path) == "old");
  const std::filesystem::directory_iterator files(folder / "disk");
  CHECK(std::distance(files, std::filesystem::directory_iterator()) == 1);
  CHECK_NOTHROW(output.write("fits"));
  CHECK(contents_of(path) == "fits");
}

TEST_CASE("output: a block device is refused without opening it", "[output]") {
  needs_root();
  const TempFolder folder;
  const std::string node = folder / "node";
  REQUIRE(::mknod(node.c_str(), S_IFBLK | 0600, makedev(7, 4000)) == 0);
  CHECK(refusal(node).find("is a block device") != std::string::npos);
  const std::string link = folder / "link";
  REQUIRE(::symlink("node", link.c_str()) == 0);
  CHECK(refusal(link).find("is a block device") != std::string::npos);
}

TEST_CASE("output: the old file's owner is kept", "[output]") {
  needs_root();
  const TempFolder folder;
  const std::string path = folder.write("old.json", "old");
  REQUIRE(::chown(path.c_str(), 65534, 65534) == 0);
  Output(path, kNoTargets).write("new");
  struct stat info = {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  CHECK(info.st_uid == 65534);
  CHECK(info.st_gid == 65534);
  CHECK(contents_of(path) == "new");
}

TEST_CASE("output: a file whose mount point it is can't be replaced, and is refused", "[output]") {
  needs_root();
  const TempFolder folder;
  const SmallDisk disk(folder / "disk", "64k");
  const std::string source = folder.write("disk/source", "old");
  const std::string path = folder.write("bound.json", "");
  REQUIRE(::mount(source.c_str(), path.c_str(), nullptr, MS_BIND, nullptr) == 0);
  const std::string found = refusal(path);
  ::umount2(path.c_str(), MNT_DETACH);
  CHECK(found.find("is a mount point") != std::string::npos);
}

TEST_CASE("output: another user's file and folder are refused before anything runs", "[output]") {
  needs_root();
  const TempFolder folder;
  REQUIRE(::chmod(folder.path().c_str(), 0777) == 0);
  const std::string open_file = folder.write("open.json", "old");
  const std::string closed = folder.write("closed.json", "old");
  folder.write("private/x", "");
  ::chmod(open_file.c_str(), 0666);
  ::chmod(closed.c_str(), 0644);
  ::chmod((folder / "private").c_str(), 0755);
  const auto refused = [&](const std::string& path, const std::string& words) {
    return as_nobody([&] { return refusal(path).find(words) != std::string::npos; });
  };
  CHECK(refused(open_file, "belongs to user 0"));
  CHECK(refused(closed, "is write-protected: Permission denied"));
  CHECK(refused(folder / "private/new.json", "can't write into its folder: Permission denied"));
  CHECK(refused(folder / "own.json", "accepted"));
}

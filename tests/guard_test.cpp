// guard_test.cpp: what the guard says without looking at any block device.
#include "target/guard.hpp"

#include "tests/catch.hpp"
#include "tests/temp_folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

using namespace chronio::target;
using chronio::tests::TempFolder;

namespace {

std::string answer(const std::string& path, const Policy& policy = {}) {
  return why_not_writable(inspect(path), policy).value_or("writable");
}

bool names(const std::string& text, const std::string& words) {
  INFO(text);
  return text.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("guard: a regular file and an absent one in a folder may be written", "[target]") {
  const TempFolder folder;
  CHECK(answer(folder.write("a.dat", "x")) == "writable");
  CHECK(answer(folder / "absent.dat") == "writable");
}

TEST_CASE("guard: readonly refuses everything, whatever may be destroyed", "[target]") {
  const TempFolder folder;
  const std::string file = folder.write("a.dat", "x");
  const Policy policy = {.readonly = true, .allow_destroy = {file, "/dev/null"}};
  CHECK(names(answer(file, policy), "--readonly"));
  CHECK(names(answer("/dev/null", policy), "--readonly"));
  CHECK(names(answer(folder / "absent", policy), file.substr(0, file.find_last_of('/'))));
}

TEST_CASE("guard: nothing is created under /dev, by whatever name", "[target]") {
  const TempFolder folder;
  std::filesystem::create_directory_symlink("/dev", folder / "devices");
  for (const std::string& path :
       {std::string("/dev/nvme99n9"), std::string("/dev/no/such/disk"),
        std::string("/dev/../dev/nvme99n9"), folder / "devices/nvme99n9"}) {
    const Policy policy = {.readonly = false, .allow_destroy = {path}};
    CHECK(names(answer(path, policy),
                path + ": does not exist, and nothing is ever created under /dev"));
  }
}

TEST_CASE("guard: files in /dev/shm are files like others", "[target]") {
  if (::access("/dev/shm", W_OK) != 0) return;
  CHECK(answer("/dev/shm/chronio_test_absent") == "writable");
}

TEST_CASE("guard: a symbolic link that leads nowhere is refused", "[target]") {
  const TempFolder folder;
  std::filesystem::create_symlink("/dev/nvme99n9", folder / "disk");
  CHECK(names(answer(folder / "disk"), "a symbolic link to /dev/nvme99n9, which leads nowhere"));
}

TEST_CASE("guard: what can't be looked at is told with the kernel's reason", "[target]") {
  const TempFolder folder;
  std::filesystem::create_symlink(folder / "loop", folder / "loop");
  CHECK(names(answer(folder / "loop"), "too many symbolic links, or they form a circle"));
}

TEST_CASE("guard: a missing folder is found before the first write", "[target]") {
  const TempFolder folder;
  CHECK(names(answer(folder / "no/x.dat"), "the directory " + (folder / "no") + " does not exist"));
}

TEST_CASE("guard: directories, FIFOs and paths through files are refused", "[target]") {
  const TempFolder folder;
  REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
  CHECK(names(answer(folder.path()), "is a directory"));
  CHECK(names(answer(folder / "fifo"), "FIFO"));
  CHECK(names(answer(folder.write("plain", "") + "/x"), "plain is not a directory"));
}

TEST_CASE("guard: of character devices only those that lose nothing may be written", "[target]") {
  CHECK(answer("/dev/null") == "writable");
  CHECK(answer("/dev/zero") == "writable");
  const Policy policy = {.readonly = false, .allow_destroy = {"/dev/tty"}};
  CHECK(names(answer("/dev/tty", policy), "/dev/tty: is a character device"));
}

// output_test.cpp: a result lands whole where it should, and nothing else is touched.
#include "results/output.hpp"

#include "tests/catch.hpp"
#include "tests/temp_folder.hpp"

#include <csignal>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

using namespace chronio::results;
using chronio::tests::contents_of;
using chronio::tests::TempFolder;

namespace {

const std::vector<std::string> kNoTargets;

void put(const std::string& path, const std::string& text) { Output(path, kNoTargets).write(text); }

std::string refusal(const std::string& path, const std::vector<std::string>& targets = {}) {
  try {
    const Output output(path, targets);
  } catch (const OutputError& error) {
    return error.what();
  }
  return "accepted";
}

bool says(const std::string& found, const std::string& words) {
  INFO(found);
  CHECK(found.find(words) != std::string::npos);
  return found.find(words) != std::string::npos;
}

std::size_t files_in(const TempFolder& folder) {
  const std::filesystem::directory_iterator begin(folder.path());
  return static_cast<std::size_t>(std::distance(begin, std::filesystem::directory_iterator()));
}

struct stat lstat_of(const std::string& path) {
  struct stat info = {};
  REQUIRE(::lstat(path.c_str(), &info) == 0);
  return info;
}

/// Files may not grow beyond `bytes` while this lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limit = {bytes, old_.rlim_max};
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit old_ = {};
  void (*handler_)(int) = SIG_DFL;
};

}  // namespace

TEST_CASE("output: a new file holds the text and gets the mode that umask allows", "[output]") {
  const TempFolder folder;
  const mode_t old = ::umask(027);
  put(folder / "new.json", "text\n");
  ::umask(old);
  CHECK(contents_of(folder / "new.json") == "text\n");
  CHECK((lstat_of(folder / "new.json").st_mode & 07777) == 0640);
  CHECK(files_in(folder) == 1);
}

TEST_CASE("output: an old file is replaced and keeps its mode", "[output]") {
  const TempFolder folder;
  const std::string path = folder.write("old.json", "much longer than the new text");
  ::chmod(path.c_str(), 0604);
  put(path, "new");
  CHECK(contents_of(path) == "new");
  CHECK((lstat_of(path).st_mode & 07777) == 0604);
  CHECK(files_in(folder) == 1);
}

TEST_CASE("output: making an Output touches nothing", "[output]") {
  const TempFolder folder;
  const std::string old = folder.write("old.json", "old");
  const Output there(old, kNoTargets);
  const Output absent(folder / "absent.json", kNoTargets);
  CHECK(contents_of(old) == "old");
  CHECK(files_in(folder) == 1);
}

TEST_CASE("output: a symbolic link stays one, and its target is replaced", "[output]") {
  const TempFolder folder;
  const std::string target = folder.write("results/target.json", "old");
  const std::string link = folder / "link.json";
  REQUIRE(::symlink("results/target.json", link.c_str()) == 0);
  put(link, "new");
  CHECK(S_ISLNK(lstat_of(link).st_mode));
  CHECK(contents_of(target) == "new");
}

TEST_CASE("output: a dangling symbolic link stays one, and its target comes into being",
          "[output]") {
  const TempFolder folder;
  const std::string first = folder / "first.json";
  const std::string second = folder / "second.json";
  REQUIRE(::symlink(second.c_str(), first.c_str()) == 0);
  REQUIRE(::symlink("third.json", second.c_str()) == 0);
  put(first, "new");
  CHECK(S_ISLNK(lstat_of(first).st_mode));
  CHECK(S_ISLNK(lstat_of(second).st_mode));
  CHECK(contents_of(folder / "third.json") == "new");
}

TEST_CASE("output: a relative path is meant from where the run began", "[output]") {
  const TempFolder folder;
  const std::filesystem::path here = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const Output output("r.json", kNoTargets);
  std::filesystem::current_path(here);
  output.write("text");
  CHECK(contents_of(folder / "r.json") == "text");
}

TEST_CASE("output: a text that does not fit leaves the old file and no other", "[output]") {
  const TempFolder folder;
  const std::string path = folder.write("old.json", "old");
  const std::string big(100'000, 'x');
  std::string found = "written";
  {
    const FileSizeLimit limit(50'000);
    try {
      put(path, big);
    } catch (const OutputError& error) {
      found = error.what();
    }
    CHECK_THROWS_AS(put(folder / "absent.json", big), OutputError);
  }
  CHECK(says(found, path + ": not written: File too large"));
  CHECK(contents_of(path) == "old");
  CHECK(files_in(folder) == 1);
}

TEST_CASE("output: /dev/full is an error", "[output]") {
  const Output output("/dev/full", kNoTargets);
  CHECK_THROWS_AS(output.write("text"), OutputError);
}

TEST_CASE("output: /dev/null stays a character device", "[output]") {
  const struct stat before = lstat_of("/dev/null");
  put("/dev/null", "text");
  const struct stat after = lstat_of("/dev/null");
  CHECK(S_ISCHR(after.st_mode));
  CHECK(after.st_ino == before.st_ino);
  CHECK(after.st_rdev == before.st_rdev);
}

TEST_CASE("output: a FIFO is written in place", "[output]") {
  const TempFolder folder;
  const std::string path = folder / "fifo";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  std::string got;
  const Output output(path, kNoTargets);
  std::thread reader([&] { got = contents_of(path); });
  output.write("through a pipe");
  reader.join();
  CHECK(got == "through a pipe");
  CHECK(S_ISFIFO(lstat_of(path).st_mode));
}

TEST_CASE("output: a socket is connected to", "[output]") {
  const TempFolder folder;
  const std::string path = folder / "socket";
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  REQUIRE(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
  REQUIRE(::listen(listener, 1) == 0);
  put(path, "over a socket");
  const int peer = ::accept(listener, nullptr, nullptr);
  std::string got(64, '\0');
  got.resize(static_cast<std::size_t>(::read(peer, got.data(), got.size())));
  CHECK(got == "over a socket");
  ::close(peer);
  ::close(listener);
}

TEST_CASE("output: /dev/stdout and /dev/fd/N are the descriptor itself", "[output]") {
  const TempFolder folder;
  const std::string path = folder.write("log", "before ");
  const int fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  put("/dev/fd/" + std::to_string(fd), "after");
  CHECK(contents_of(path) == "before after");
  CHECK(files_in(folder) == 1);
  ::close(fd);
  const int read_only = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  CHECK(says(refusal("/dev/fd/" + std::to_string(read_only)), "is open for reading only"));
  ::close(read_only);
  CHECK(says(refusal("/dev/fd/" + std::to_string(read_only)), "Bad file descriptor"));
  CHECK(refusal("/dev/stdout") == "accepted");
}

TEST_CASE("output: what can't take a result is refused before anything runs", "[output]") {
  const TempFolder folder;
  const std::string file = folder.write("file", "x");
  CHECK(says(refusal(""), "the output file's name is empty"));
  CHECK(says(refusal(folder.path()), "is a directory"));
  CHECK(says(refusal(folder.path() + "/"), "is a directory"));
  CHECK(says(refusal(folder / "absent/"), "No such file or directory"));
  CHECK(says(refusal(folder / "absent/file.json"), "No such file or directory"));
  CHECK(says(refusal(file + "/below.json"), "Not a directory"));
  CHECK(says(refusal(folder / std::string(300, 'x')), "File name too long"));
  const std::string loop = folder / "loop";
  REQUIRE(::symlink("loop", loop.c_str()) == 0);
  CHECK(says(refusal(loop), "Too many levels of symbolic links"));
  CHECK(says(refusal("/dev/no_such_device_of_chronio"), "nothing is created under /dev"));
  CHECK(refusal(folder / std::string(255, 'x')) == "accepted");
}

TEST_CASE("output: a name of full length is written", "[output]") {
  const TempFolder folder;
  const std::string path = folder / std::string(255, 'x');
  put(path, "text");
  CHECK(contents_of(path) == "text");
}

TEST_CASE("output: a job's target is refused under any of its names", "[output]") {
  const TempFolder folder;
  const std::string target = folder.write("data", "precious");
  const std::string link = folder / "link";
  const std::string hard = folder / "hard";
  REQUIRE(::symlink("data", link.c_str()) == 0);
  REQUIRE(::link(target.c_str(), hard.c_str()) == 0);
  for (const std::string& name :
       {target, link, hard,
        folder.path() + "/../" + target.substr(target.rfind('/', target.rfind('/') - 1) + 1)})
    CHECK(says(refusal(name, {folder / "other", target}), "which a job reads or writes"));
  CHECK(says(refusal(target, {link}), "which a job reads or writes"));
  CHECK(says(refusal("/dev/null", {"/dev/null"}), "which a job reads or writes"));
  CHECK(refusal(folder / "result.json", {target, link}) == "accepted");
}

TEST_CASE("output: a target that is yet to be made is refused too", "[output]") {
  const TempFolder folder;
  const std::string absent = folder / "absent";
  const std::string link = folder / "link";
  REQUIRE(::symlink("absent", link.c_str()) == 0);
  CHECK(says(refusal(absent, {absent}), "which a job reads or writes"));
  CHECK(says(refusal(link, {absent}), "which a job reads or writes"));
  CHECK(says(refusal(absent, {link}), "which a job reads or writes"));
  CHECK(says(refusal(absent, {folder.path() + "//./absent"}), "which a job reads or writes"));
  CHECK(refusal(absent, {folder / "absent2", folder / "no/such/folder"}) == "accepted");
}

TEST_CASE("output: a file that became something else during the run is left alone", "[output]") {
  const TempFolder folder;
  const std::string path = folder / "late";
  const Output output(path, kNoTargets);
  REQUIRE(::mkdir(path.c_str(), 0700) == 0);
  CHECK_THROWS_AS(output.write("text"), OutputError);
  CHECK(S_ISDIR(lstat_of(path).st_mode));
  CHECK(files_in(folder) == 1);
}

// target_test.cpp: what stands at a path, and how opening it can fail.
#include "target/target.hpp"

#include "target/fd.hpp"
#include "target/file_system.hpp"
#include "target/messages.hpp"
#include "tests/catch.hpp"
#include "tests/temp_folder.hpp"

#include <bit>
#include <cerrno>
#include <set>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>

using namespace chronio::target;
using chronio::Access;
using chronio::tests::TempFolder;

namespace {

/// The sentence with which opening fails; empty when it succeeds.
std::string failure(const std::string& path, Access access, bool direct = false) {
  try {
    const Fd fd(open_target(inspect(path), access, direct));
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

bool names(const std::string& text, const std::string& words) {
  INFO(text);
  return text.find(words) != std::string::npos;
}

Target file_on(const std::string& file_system) {
  Target target = inspect("/mnt/no/such/a.dat");
  target.kind = Kind::file;
  target.file_system = file_system;
  return target;
}

/// Root may open anything: acts as the user `nobody` for a while.
class PlainUser {
 public:
  PlainUser() : root_(::geteuid() == 0) {
    if (root_) REQUIRE(::seteuid(65534) == 0);
  }
  PlainUser(const PlainUser&) = delete;
  PlainUser& operator=(const PlainUser&) = delete;
  ~PlainUser() {
    if (root_ && ::seteuid(0) != 0) std::abort();
  }

 private:
  bool root_;
};

}  // namespace

TEST_CASE("target: a file has its size, file system and a direct alignment", "[target]") {
  const TempFolder folder;
  const Target target = inspect(folder.write("a.dat", std::string(5000, 'x')));
  struct stat found = {};
  REQUIRE(::stat(target.path.c_str(), &found) == 0);
  CHECK(target.kind == Kind::file);
  CHECK(target.bytes == 5000);
  CHECK(target.device == found.st_dev);
  CHECK(target.file_system == file_system_of(folder.path()));
  CHECK_FALSE(target.file_system.empty());
  CHECK(std::has_single_bit(target.logical_block));
  CHECK(target.stat_error == 0);
}

TEST_CASE("target: a direct read at the alignment found is taken by the kernel", "[target]") {
  const TempFolder folder;
  const Target target = inspect(folder.write("a.dat", std::string(1U << 17, 'x')));
  Fd fd;
  try {
    fd = Fd(open_target(target, Access::read_only, true));
  } catch (const Error& error) {
    CHECK(names(error.what(), "O_DIRECT"));  // a file system without it: the message is the claim
    return;
  }
  constexpr std::size_t kPage = 4096;
  alignas(kPage) static char buffer[1U << 16];
  REQUIRE(target.logical_block <= sizeof buffer);
  const ssize_t got = ::pread(fd.get(), buffer, target.logical_block, target.logical_block);
  CHECK(got == static_cast<ssize_t>(target.logical_block));
}

TEST_CASE("target: folders, FIFOs and character devices are told apart", "[target]") {
  const TempFolder folder;
  REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
  CHECK(inspect(folder.path()).kind == Kind::directory);
  CHECK(inspect(folder / "fifo").kind == Kind::other);
  CHECK(inspect("/dev/null").kind == Kind::character);
  CHECK(inspect("/dev/null").device == makedev(1, 3));
}

TEST_CASE("target: an absent path is no error and knows its folder's file system", "[target]") {
  const TempFolder folder;
  const Target target = inspect(folder / "absent");
  CHECK(target.kind == Kind::absent);
  CHECK(target.stat_error == 0);
  CHECK(target.file_system == file_system_of(folder.path()));
  CHECK(inspect(folder / "no/such").kind == Kind::absent);
  CHECK(inspect("").kind == Kind::absent);
}

TEST_CASE("target: a path that can't be looked at keeps its errno", "[target]") {
  const TempFolder folder;
  const std::string plain = folder.write("plain", "");
  CHECK(inspect(plain + "/x").stat_error == ENOTDIR);
  CHECK(inspect(folder / std::string(300, 'n')).stat_error == ENAMETOOLONG);
  CHECK(inspect(plain + std::string("\0x", 2)).stat_error == EINVAL);
  std::filesystem::create_symlink("circle", folder / "circle");
  CHECK(inspect(folder / "circle").stat_error == ELOOP);
}

TEST_CASE("target: symbolic links are followed", "[target]") {
  const TempFolder folder;
  folder.write("a.dat", "abc");
  std::filesystem::create_symlink("a.dat", folder / "link");
  CHECK(inspect(folder / "link").bytes == 3);
}

TEST_CASE("target: opening gives a descriptor of the right access, closed on exec", "[target]") {
  const TempFolder folder;
  const Target target = inspect(folder.write("a.dat", "abc"));
  const auto flags = [&](Access access) {
    const Fd fd(open_target(target, access, false));
    CHECK((::fcntl(fd.get(), F_GETFD) & FD_CLOEXEC) != 0);
    return ::fcntl(fd.get(), F_GETFL) & O_ACCMODE;
  };
  CHECK(flags(Access::read_only) == O_RDONLY);
  CHECK(flags(Access::write_only) == O_WRONLY);
  CHECK(flags(Access::read_write) == O_RDWR);
  CHECK(inspect(target.path).bytes == 3);
}

TEST_CASE("target: opening never creates", "[target]") {
  const TempFolder folder;
  CHECK(names(failure(folder / "absent", Access::read_write), "absent: does not exist"));
  CHECK(inspect(folder / "absent").kind == Kind::absent);
}

TEST_CASE("target: what can't be opened says why, each in its own words", "[target]") {
  const TempFolder folder;
  const std::string plain = folder.write("plain", "");
  REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
  CHECK(names(failure(plain + "/x.dat", Access::read_only), plain + " is not a directory"));
  CHECK(names(failure(folder.path(), Access::read_only), folder.path() + ": is a directory"));
  CHECK(names(failure(folder / "fifo", Access::read_only), "FIFO"));
  CHECK(names(failure("/dev/tty", Access::read_only), "/dev/tty: is a character device"));
  CHECK(failure("/dev/null", Access::read_write).empty());
  const std::string secret = folder.write("secret", "x");
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  std::filesystem::permissions(secret, std::filesystem::perms::none);
  const PlainUser plain_user;
  CHECK(names(failure(secret, Access::write_only), "secret: no permission to open it for writing"));
}

TEST_CASE("target: every errno of open has its own sentence, with the path", "[target]") {
  const Target target = file_on("9p");
  std::set<std::string> sentences;
  for (const int error : {ENOENT, ENOTDIR, EACCES, EISDIR, EINVAL, EROFS, EBUSY, ETXTBSY, ELOOP,
                          ENXIO, ENAMETOOLONG, EMFILE, EIO}) {
    const std::string text = open_failure(target, Access::read_write, true, error);
    CHECK(names(text, target.path));
    CHECK(sentences.insert(text).second);
  }
}

TEST_CASE("target: refused O_DIRECT names the file system and the option", "[target]") {
  const Target target = file_on("9p");
  const std::string text = open_failure(target, Access::read_only, true, EINVAL);
  CHECK(names(text, "direct=1"));
  CHECK(names(text, "(9p)"));
  CHECK_FALSE(names(open_failure(target, Access::read_only, false, EINVAL), "O_DIRECT"));
}

TEST_CASE("target: a path that became something else is not opened", "[target]") {
  const TempFolder folder;
  const Target looked_at = inspect(folder.write("a", "x"));
  std::filesystem::remove(looked_at.path);
  std::filesystem::create_symlink("/dev/null", looked_at.path);
  CHECK_THROWS_AS(open_target(looked_at, Access::write_only, false), Error);
}

TEST_CASE("target: file systems are named by their number, unknown ones by the number itself",
          "[target]") {
  CHECK(file_system_name(0xEF53) == "ext4");
  CHECK(file_system_name(0x9123683E) == "btrfs");
  CHECK(file_system_name(0x01021994) == "tmpfs");
  CHECK(file_system_name(0x1234) == "0x1234");
  CHECK(file_system_of("/proc") == "proc");
  CHECK(file_system_of("/no/such/path").empty());
}

TEST_CASE("target: the cache of files is dropped, other kinds need nothing", "[target]") {
  const TempFolder folder;
  const Target target = inspect(folder.write("a", "x"));
  const Fd fd(open_target(target, Access::read_only, false));
  CHECK(drop_cache(fd.get(), Kind::file) == 0);
  CHECK(drop_cache(-1, Kind::character) == 0);
  CHECK(drop_cache(-1, Kind::file) == -EBADF);
}

TEST_CASE("target: the disk below a file is named where the file system has one", "[target]") {
  const TempFolder folder;
  const Target target = inspect(folder.path());
  if (major(target.device) == 0) return;  // tmpfs and the like: no disk
  CHECK_FALSE(device_info(target).name.empty());
}

// preallocate.cpp: makes room for a file that a job will fill itself.
#include "target/device_folder.hpp"
#include "target/fd.hpp"
#include "target/layout.hpp"
#include "target/messages.hpp"
#include "target/target.hpp"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace chronio::target {

void preallocate(const std::string& path, std::uint64_t bytes) {
  const bool absent = inspect(path).kind == Kind::absent;
  if (absent) create_empty(path);
  const Fd fd(open_target(inspect(path), Access::write_only, false));
  if (::fallocate(fd.get(), 0, 0, static_cast<off_t>(bytes)) == 0) return;
  const int error = errno;
  // As fio's fallocate=native: where the file system can't, writes make the file grow.
  if (error == EOPNOTSUPP || error == ENOSYS) return;
  if (absent) ::unlink(path.c_str());
  throw Error(error, fill_failure(path, bytes, 0, error));
}

}  // namespace chronio::target

// preallocate.cpp: makes room for a file that a job will fill itself.
#include "target/growing_file.hpp"
#include "target/layout.hpp"
#include "target/messages.hpp"

#include <cerrno>
#include <fcntl.h>

namespace chronio::target {

void preallocate(const Target& seen, std::uint64_t bytes) {
  GrowingFile file(seen);
  if (file.old_bytes() < bytes) {
    // fallocate(2) reserves block by block: without this look it may fill the disk before it fails.
    file.check_room(bytes);
    // As fio's fallocate=native: where the file system can't, writes make the file grow.
    if (::fallocate(file.fd(), 0, 0, static_cast<off_t>(bytes)) != 0 && errno != EOPNOTSUPP &&
        errno != ENOSYS)
      throw Error(errno, fill_failure(seen.path, bytes, 0, errno));
  }
  file.keep();
}

}  // namespace chronio::target

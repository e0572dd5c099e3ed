// character.cpp: numbers as in the kernel's Documentation/admin-guide/devices.txt.
#include "target/character.hpp"

#include "target/sysfs.hpp"

#include <fmt/core.h>
#include <sys/sysmacros.h>

namespace chronio::target {

bool is_memory_device(std::uint64_t device) noexcept {
  if (major(device) != 1) return false;
  switch (minor(device)) {
    case 3:  // null
    case 5:  // zero
    case 7:  // full
    case 8:  // random
    case 9:  // urandom
      return true;
    default: return false;
  }
}

// The controller itself (/dev/nvme0) is none of these: it has no data of its own.
bool is_usable_character_device(std::uint64_t device) {
  return is_memory_device(device) || Sysfs().nvme_sibling(device).has_value();
}

std::string character_refusal(const std::string& path) {
  return fmt::format(
      "{}: is a character device that holds no data to read or write; /dev/ngXnY, /dev/null and "
      "/dev/zero are the ones that can be used",
      path);
}

}  // namespace chronio::target

// result.cpp: a failed request's result in words.
#include "engines/registry.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

namespace chronio {
namespace {

struct StatusText {
  std::uint16_t status;
  const char* text;
};

// Status code type (bits 8 to 10) and status code, after "Status Field Definition" of the
// specifications NVM Express Base 2.0 and NVM Command Set 1.0. In ascending order, for the search.
// What is missing here, a vendor's own codes (type 7) among it, is told by its number alone.
constexpr auto kNvmeStatus = std::to_array<StatusText>({
    {0x001, "invalid command opcode"},
    {0x002, "invalid field in command"},
    {0x004, "data transfer error"},
    {0x005, "aborted, power loss"},
    {0x006, "internal error"},
    {0x007, "abort requested"},
    {0x008, "aborted, submission queue deleted"},
    {0x00b, "invalid namespace or format"},
    {0x00c, "command sequence error"},
    {0x012, "invalid use of controller memory buffer"},
    {0x013, "PRP offset invalid"},
    {0x014, "atomic write unit exceeded"},
    {0x01c, "sanitize failed"},
    {0x01d, "sanitize in progress"},
    {0x020, "namespace is write protected"},
    {0x021, "command interrupted"},
    {0x022, "transient transport error"},
    {0x080, "LBA out of range"},
    {0x081, "capacity exceeded"},
    {0x082, "namespace not ready"},
    {0x083, "reservation conflict"},
    {0x084, "format in progress"},
    {0x180, "conflicting attributes"},
    {0x181, "invalid protection information"},
    {0x182, "attempted write to read only range"},
    {0x1b8, "zone boundary error"},
    {0x1b9, "zone is full"},
    {0x1ba, "zone is read only"},
    {0x1bb, "zone is offline"},
    {0x1bc, "zone invalid write"},
    {0x1bd, "too many active zones"},
    {0x1be, "too many open zones"},
    {0x280, "write fault"},
    {0x281, "unrecovered read error"},
    {0x282, "end-to-end guard check error"},
    {0x283, "end-to-end application tag check error"},
    {0x284, "end-to-end reference tag check error"},
    {0x285, "compare failure"},
    {0x286, "access denied"},
    {0x287, "deallocated or unwritten logical block"},
    {0x300, "internal path error"},
    {0x301, "asymmetric access persistent loss"},
    {0x302, "asymmetric access inaccessible"},
    {0x303, "asymmetric access transition"},
    {0x360, "controller pathing error"},
    {0x370, "host pathing error"},
    {0x371, "command aborted by host"},
});
static_assert(std::ranges::is_sorted(kNvmeStatus, {}, &StatusText::status));

// What stands above it says what a driver should do, not what went wrong; the printed number keeps
// it all the same.
constexpr std::int64_t kCode = 0x7ff;  // above it: retry delay, "more", "do not retry"

std::string device_status(std::int64_t status) {
  std::array<char, 20> digits{};
  char* end = std::to_chars(digits.begin(), digits.end(), status, 16).ptr;
  std::string text = "device status 0x" + std::string(digits.begin(), end);
  const auto* known =
      std::ranges::lower_bound(kNvmeStatus, status & kCode, {}, &StatusText::status);
  if (known != kNvmeStatus.end() && known->status == (status & kCode)) {
    text += std::string(" (") + known->text + ")";
  }
  return text;
}

}  // namespace

std::string describe_result(std::int64_t result) {
  if (result <= -kDeviceStatus) return device_status(-(result + kDeviceStatus));
  // Not strerror(3): that is translated, and results are compared between machines.
  const char* text = strerrordesc_np(static_cast<int>(-result));
  return text != nullptr ? text : "error " + std::to_string(-result);
}

}  // namespace chronio

// nvme.hpp: NVMe commands and identify data, after the specifications NVM Express Base 2.0 and NVM
// Command Set 1.0. Makes no system calls, so that all of it is tested without a device.
#pragma once

#include "engines/engine.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <linux/nvme_ioctl.h>
#include <span>

namespace chronio::nvme {

/// Every identify data structure has this size in bytes. Source: Base 2.0, "Identify command".
inline constexpr std::size_t kIdentifyBytes = 4096;
using Identify = std::span<const std::byte, kIdentifyBytes>;

/// Opcodes of the NVM command set: CDW0 bits 7 to 0. Source: NVM Command Set 1.0, "I/O Commands".
enum Opcode : std::uint8_t { flush = 0x00, write = 0x01, read = 0x02, dataset_management = 0x09 };
inline constexpr std::uint8_t kNone = 0xff;  ///< no command: what was asked for can't be done
/// Opcode of identify, an admin command: it goes to another queue and another ioctl(2).
inline constexpr std::uint8_t kAdminIdentify = 0x06;
/// What identify describes: CNS, bits 7 to 0 of CDW10.
inline constexpr std::uint32_t kOfNamespace = 0x00;
inline constexpr std::uint32_t kOfController = 0x01;

/// How a namespace is formatted.
struct Format {
  std::uint64_t blocks = 0;
  std::uint32_t block_bytes = 0;     ///< data of a logical block
  std::uint32_t metadata_bytes = 0;  ///< of a logical block; 0 without
  bool interleaved = false;          ///< metadata follows each block's data (an extended LBA)
};

/// `NAME[at...]` as a little-endian number. REQUIRES: at + sizeof(T) <= kIdentifyBytes.
template <class T>
[[nodiscard]] T number_at(Identify data, std::size_t at) noexcept {
  T value;
  std::memcpy(&value, data.data() + at,
              sizeof value);  // x86 and arm64 are little-endian as NVMe is
  return value;
}

/// Identify Namespace to a format: NSZE (bytes 0-7), FLBAS (26) and the LBA format that it chooses
/// (128 and on, 4 bytes each). block_bytes is 0 when the data make no sense: blocks smaller than
/// 512 bytes are not defined, and none above 64 KiB are believed.
[[nodiscard]] inline Format format_of(Identify data) noexcept {
  const auto flbas = number_at<std::uint8_t>(data, 26);
  // Bits 0-3, and since revision 2.0 bits 5-6 above them, choose one of up to 64 formats.
  const std::size_t index = (flbas & 0x0fU) | ((flbas & 0x60U) >> 1);
  const auto lbaf = number_at<std::uint32_t>(data, 128 + index * 4);
  const std::uint32_t shift = (lbaf >> 16) & 0xff;
  Format format;
  format.blocks = number_at<std::uint64_t>(data, 0);
  format.metadata_bytes = lbaf & 0xffff;
  format.interleaved = format.metadata_bytes != 0 && (flbas & 0x10) != 0;
  if (shift >= 9 && shift <= 16) format.block_bytes = 1U << shift;
  return format;
}

/// Identify Controller, MDTS (byte 77): bytes of the largest transfer; 0: no limit, or one that 32
/// bits don't hold. `page` is the controller's smallest page in bytes (CAP.MPSMIN, a register that
/// the driver does not show), 4096 on every machine seen.
[[nodiscard]] inline std::uint32_t max_transfer_of(Identify data, std::uint32_t page) noexcept {
  const auto mdts = number_at<std::uint8_t>(data, 77);
  // An exponent: MDTS counts doublings of the page.
  return mdts == 0 || mdts > 19 ? 0 : page << mdts;
}

/// Bytes of the largest read or write that one command can carry: at most 65536 blocks (NLB has 16
/// bits and counts from 0), what 32 bits hold, and what the controller moves at once (0: no limit).
/// A whole number of blocks if max_transfer is. REQUIRES: format.block_bytes is a power of two.
[[nodiscard]] inline std::uint32_t largest_command(const Format& format,
                                                   std::uint32_t max_transfer) noexcept {
  const std::uint64_t block = format.block_bytes;  // a power of two
  const auto bytes =
      static_cast<std::uint32_t>(std::min(65536 * block, (std::uint64_t{1} << 32) - block));
  return max_transfer == 0 ? bytes : std::min(bytes, max_transfer);
}

/// The same in bytes of data where each command has a metadata buffer of `room` bytes: only for
/// whole blocks' metadata is there room, and 0 is left where it does not hold those of one.
[[nodiscard]] inline std::uint32_t largest_command(const Format& format, std::uint32_t max_transfer,
                                                   std::uint64_t room) noexcept {
  const std::uint32_t bytes = largest_command(format, max_transfer);
  if (format.metadata_bytes == 0) return bytes;
  const std::uint64_t held = room / format.metadata_bytes * format.block_bytes;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, held));
}

/// Identify Controller, ONCS (bytes 520-521), bit 2: dataset management, which deallocates, is an
/// optional command.
[[nodiscard]] inline bool deallocates(Identify data) noexcept {
  return (number_at<std::uint16_t>(data, 520) & 0x4) != 0;
}

/// One range of dataset management, as the device reads it from memory. Source: NVM Command Set
/// 1.0, "Dataset Management - Range Definition".
struct Range {
  std::uint32_t attributes;  ///< hints of access; 0 here
  std::uint32_t blocks;
  std::uint64_t first_block;
};
static_assert(sizeof(Range) == 16);

/// The worker's part in a command: what is the same for all requests of a file, read once so that
/// the hot path asks nobody.
struct Namespace {
  std::uint32_t id = 0;
  std::uint32_t block_shift = 9;     ///< log2 of the block's bytes
  std::uint32_t metadata_bytes = 0;  ///< of a logical block
  std::uint32_t largest = 0;         ///< bytes of a read or a write
  bool force_unit_access[2] = {};    ///< of reads, of writes: past the device's own cache
  bool deallocates = false;          ///< the device knows dataset management
};

/// [hot] The command of `io`, or opcode kNone when there is none. `metadata`: its buffer, if the
/// format has some. `range`: filled for a trim, whose command points to it: it has to live, and
/// stay as it is, until the command has ended. REQUIRES: offset and length are multiples of the
/// block; a read or a write is at least one block and at most space.largest bytes.
[[nodiscard]] inline nvme_uring_cmd command_of(const Io& io, const Namespace& space, void* metadata,
                                               Range& range) noexcept {
  nvme_uring_cmd command{};
  command.nsid = space.id;
  const std::uint64_t first = io.offset >> space.block_shift;
  const std::uint32_t blocks = io.len >> space.block_shift;
  switch (io.ddir) {
    case Ddir::read:
    case Ddir::write: {
      const bool writes = io.ddir == Ddir::write;
      command.opcode = writes ? write : read;
      command.addr = reinterpret_cast<std::uintptr_t>(io.buf);
      command.data_len = io.len;
      command.cdw10 = static_cast<std::uint32_t>(first);
      command.cdw11 = static_cast<std::uint32_t>(first >> 32);
      // NLB counts from 0; bit 30 is FUA.
      command.cdw12 = (blocks - 1) | (space.force_unit_access[writes ? 1 : 0] ? 1U << 30 : 0U);
      if (space.metadata_bytes != 0) {
        command.metadata = reinterpret_cast<std::uintptr_t>(metadata);
        command.metadata_len = blocks * space.metadata_bytes;
      }
      break;
    }
    case Ddir::trim:
      if (!space.deallocates) {
        command.opcode = kNone;
        break;
      }
      range = {0, blocks, first};
      command.opcode = dataset_management;
      command.addr = reinterpret_cast<std::uintptr_t>(&range);
      command.data_len = sizeof range;
      command.cdw10 = 0;        // one range
      command.cdw11 = 1U << 2;  // deallocate
      break;
    case Ddir::sync:
    // A flush is of the whole namespace: NVMe knows no files, and so no difference between the two.
    case Ddir::datasync: command.opcode = flush; break;
    default: command.opcode = kNone;
  }
  return command;
}

/// [hot] Io::result of a command that ended with `res`, which the driver makes 0, -errno or the
/// positive status of the device: the whole length (an NVMe command is never done in part), -errno,
/// or -(kDeviceStatus + status).
[[nodiscard]] inline std::int64_t result_of(const Io& io, int res) noexcept {
  if (res == 0) return io.len;
  return res < 0 ? res : -(kDeviceStatus + res);
}

}  // namespace chronio::nvme

// nvme_test.cpp: NVMe commands as the specification lays them out, and what identify says.
#include "engines/nvme.hpp"

#include "engines/registry.hpp"
#include "tests/catch.hpp"

#include <array>
#include <cerrno>
#include <cstring>

using namespace chronio;
using namespace chronio::nvme;

namespace {

/// Identify data, zeros but for what is put in.
class Data {
 public:
  template <class T>
  Data& put(std::size_t at, T value) {
    std::memcpy(bytes_.data() + at, &value, sizeof value);
    return *this;
  }
  operator Identify() const {
    return Identify(bytes_);
  }  // NOLINT(google-explicit-constructor): as a test writes it

 private:
  std::array<std::byte, kIdentifyBytes> bytes_{};
};

/// An entry of the table of LBA formats: metadata, log2 of the data, relative performance.
std::uint32_t lbaf(std::uint32_t metadata, std::uint32_t shift) { return metadata | shift << 16; }

Io request(Ddir ddir, std::uint64_t offset, std::uint32_t len) {
  static std::byte buffer;
  Io io{};
  io.ddir = ddir;
  io.offset = offset;
  io.len = len;
  io.buf = &buffer;
  return io;
}

nvme_uring_cmd command(const Io& io, const Namespace& space) {
  Range range{};
  return command_of(io, space, nullptr, range);
}

/// Number 7, blocks of 4 KiB, no metadata.
Namespace space() {
  Namespace made;
  made.id = 7;
  made.block_shift = 12;
  made.deallocates = true;
  return made;
}

}  // namespace

TEST_CASE("nvme: reads and writes carry first block, blocks less one, and the buffer",
          "[engines]") {
  const Io io = request(Ddir::read, (std::uint64_t{5} << 32 << 12) + 3 * 4096, 32768);
  const nvme_uring_cmd made = command(io, space());
  CHECK(made.opcode == 0x02);
  CHECK(made.nsid == 7);
  CHECK(made.cdw10 == 3);
  CHECK(made.cdw11 == 5);
  CHECK(made.cdw12 == 7);
  CHECK(made.data_len == 32768);
  CHECK(made.addr == reinterpret_cast<std::uintptr_t>(io.buf));
  CHECK(made.metadata_len == 0);
  CHECK(command(request(Ddir::write, 0, 4096), space()).opcode == 0x01);
}

TEST_CASE("nvme: force unit access is asked for by direction", "[engines]") {
  Namespace forced = space();
  forced.force_unit_access[1] = true;
  CHECK(command(request(Ddir::write, 0, 4096), forced).cdw12 == 1U << 30);
  CHECK(command(request(Ddir::read, 0, 4096), forced).cdw12 == 0);
}

TEST_CASE("nvme: metadata has a buffer of its own, as long as the blocks ask", "[engines]") {
  Namespace with = space();
  with.metadata_bytes = 8;
  std::array<std::byte, 64> metadata{};
  Range range{};
  const Io io = request(Ddir::read, 0, 8 * 4096);
  const nvme_uring_cmd made = command_of(io, with, metadata.data(), range);
  CHECK(made.metadata == reinterpret_cast<std::uintptr_t>(metadata.data()));
  CHECK(made.metadata_len == 64);
}

TEST_CASE("nvme: a trim is one range of dataset management that deallocates", "[engines]") {
  Range range{};
  const Io io = request(Ddir::trim, 16 * 4096, 4 * 4096);
  const nvme_uring_cmd made = command_of(io, space(), nullptr, range);
  CHECK(made.opcode == 0x09);
  CHECK(made.cdw10 == 0);
  CHECK(made.cdw11 == 4);
  CHECK(made.addr == reinterpret_cast<std::uintptr_t>(&range));
  CHECK(made.data_len == 16);
  CHECK(range.first_block == 16);
  CHECK(range.blocks == 4);
  Namespace without = space();
  without.deallocates = false;
  CHECK(command(io, without).opcode == kNone);
}

TEST_CASE("nvme: both syncs are a flush, anything else is no command", "[engines]") {
  for (const Ddir ddir : {Ddir::sync, Ddir::datasync}) {
    const nvme_uring_cmd made = command(request(ddir, 0, 0), space());
    CHECK(made.opcode == 0x00);
    CHECK(made.nsid == 7);
    CHECK(made.data_len == 0);
  }
  CHECK(command(request(Ddir::sync_file_range, 0, 0), space()).opcode == kNone);
  CHECK(command(request(static_cast<Ddir>(200), 0, 0), space()).opcode == kNone);
}

TEST_CASE("nvme: the format in use gives the block, its metadata and where they lie", "[engines]") {
  Data data;
  data.put<std::uint64_t>(0, 1000).put(128, lbaf(0, 9)).put(132, lbaf(8, 12)).put(136, lbaf(0, 60));
  data.put(128 + 4 * 17, lbaf(64, 12));
  const Format plain = format_of(data);
  CHECK(plain.blocks == 1000);
  CHECK(plain.block_bytes == 512);
  CHECK(plain.metadata_bytes == 0);
  CHECK_FALSE(plain.interleaved);
  const Format apart = format_of(data.put<std::uint8_t>(26, 0x01));
  CHECK(apart.block_bytes == 4096);
  CHECK(apart.metadata_bytes == 8);
  CHECK_FALSE(apart.interleaved);
  CHECK(format_of(data.put<std::uint8_t>(26, 0x11)).interleaved);
  CHECK(format_of(data.put<std::uint8_t>(26, 0x21)).metadata_bytes == 64);  // format 17
  CHECK(format_of(data.put<std::uint8_t>(26, 0x02)).block_bytes == 0);      // nonsense
}

TEST_CASE("nvme: identify tells the largest transfer and whether trims are known", "[engines]") {
  Data data;
  CHECK(max_transfer_of(data, 4096) == 0);
  CHECK_FALSE(deallocates(data));
  data.put<std::uint8_t>(77, 5).put<std::uint16_t>(520, 0x14);
  CHECK(max_transfer_of(data, 4096) == 131072);
  CHECK(deallocates(data));
}

TEST_CASE("nvme: a read or a write is limited by blocks, by the controller and by its metadata",
          "[engines]") {
  Format format;
  format.block_bytes = 512;
  CHECK(largest_command(format, 0) == 65536 * 512);
  CHECK(largest_command(format, 524288) == 524288);
  CHECK(largest_command(format, 1U << 30) == 65536 * 512);
  CHECK(largest_command(format, 524288, 0) == 524288);  // no metadata, so none need room
  format.metadata_bytes = 8;
  CHECK(largest_command(format, 524288, 8) == 512);
  CHECK(largest_command(format, 524288, 7) == 0);
  CHECK(largest_command(format, 524288, 65) == 4096);
  CHECK(largest_command(format, 524288, 1 << 30) == 524288);
  format.block_bytes = 65536;
  CHECK(largest_command(format, 0) == 0xFFFF0000U);  // a length has 32 bits
}

TEST_CASE("nvme: a trim's blocks are a number of 32 bits", "[engines]") {
  Range range{};
  Namespace small = space();
  small.block_shift = 9;
  small.largest = 4096;
  static_cast<void>(command_of(request(Ddir::trim, 0, 1U << 31), small, nullptr, range));
  CHECK(range.blocks == 1U << 22);
}

TEST_CASE("nvme: a status becomes words, an errno stays one, success is the whole length",
          "[engines]") {
  const Io io = request(Ddir::read, 0, 8192);
  CHECK(result_of(io, 0) == 8192);
  CHECK(result_of(io, -EINVAL) == -EINVAL);
  CHECK(describe_result(result_of(io, 0x281)) == "device status 0x281 (unrecovered read error)");
  CHECK(describe_result(result_of(io, 0x4281)) ==
        "device status 0x4281 (unrecovered read error)");  // with "do not retry"
  CHECK(result_of(request(Ddir::sync, 0, 0), 0) == 0);
}

// buffers.hpp: the memory that I/O goes to and comes from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace chronio::workload {

/// `count` buffers of `stride` bytes, one region, zero pages until touched, aligned to a page at
/// least.
class Buffers {
 public:
  /// Throws std::bad_alloc. REQUIRES: count > 0, stride a multiple of `alignment`, a power of two.
  Buffers(std::uint32_t count, std::uint32_t stride, std::uint32_t alignment);

  [[nodiscard]] std::span<std::byte> all() const noexcept { return {base_.get(), bytes_}; }

  /// Gives the memory up without freeing it: a device may still write to it.
  void abandon() noexcept;

 private:
  struct Unmap {
    std::size_t bytes;
    void operator()(std::byte* base) const noexcept;
  };
  std::unique_ptr<std::byte, Unmap> base_;
  std::size_t bytes_ = 0;
};

/// Fills with incompressible, undeduplicable bytes. Any length.
void fill_random(std::span<std::byte> bytes, std::uint64_t seed) noexcept;

/// [hot] Makes a write's data unlike any earlier one: offset and `sequence` into the first 16 bytes
/// of every 512 (fio's scramble_buffers).
void scramble(std::span<std::byte> data, std::uint64_t offset, std::uint64_t sequence) noexcept;

}  // namespace chronio::workload

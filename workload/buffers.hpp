// buffers.hpp: the memory that I/O goes to and comes from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace chronio::workload {

/// `count` buffers of `stride` bytes, one region, zero pages until touched, aligned to a page at
/// least. One region, so that an engine can register or map all of them at once; no memory is used
/// before somebody writes to it. Owned by one worker, made on its thread.
class Buffers {
 public:
  /// [setup] Throws std::bad_alloc. REQUIRES: count > 0, stride a multiple of `alignment` (both in
  /// bytes), which is a power of two.
  Buffers(std::uint32_t count, std::uint32_t stride, std::uint32_t alignment);

  /// All buffers in the order of their slots, `stride` bytes each; empty after abandon().
  [[nodiscard]] std::span<std::byte> all() const noexcept { return {base_.get(), bytes_}; }

  /// Gives the memory up without freeing it: a device may still write to it, and pages that went to
  /// somebody else would be overwritten.
  void abandon() noexcept;

 private:
  struct Unmap {
    std::size_t bytes;
    void operator()(std::byte* base) const noexcept;
  };
  std::unique_ptr<std::byte, Unmap> base_;
  std::size_t bytes_ = 0;
};

/// [setup] Fills with incompressible, undeduplicable bytes: the same ones for the same seed. Any
/// length.
void fill_random(std::span<std::byte> bytes, std::uint64_t seed) noexcept;

/// [hot] Makes a write's data unlike any earlier one: offset and `sequence` into the first 16 bytes
/// of every 512, the smallest block of any device (fio's scramble_buffers). Both in the
/// machine's byte order; a shorter tail gets what fits.
void scramble(std::span<std::byte> data, std::uint64_t offset, std::uint64_t sequence) noexcept;

}  // namespace chronio::workload

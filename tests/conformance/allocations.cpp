// allocations.cpp: puts itself before malloc, or asks the sanitizer that already has.
#include "tests/conformance/allocations.hpp"

#include <atomic>
#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CONFORMANCE_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CONFORMANCE_SANITIZED 1
#endif

namespace {

std::atomic<std::uint64_t> count{0};

}  // namespace

#ifdef CONFORMANCE_SANITIZED

// NOLINTNEXTLINE(bugprone-reserved-identifier): the sanitizers' own name.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*malloc_hook)(const volatile void*,
                                                                             std::size_t),
                                                         void (*free_hook)(const volatile void*));

namespace {

const int kInstalled = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t) { count.fetch_add(1, std::memory_order_relaxed); },
    [](const volatile void*) {});

}  // namespace

#else

// NOLINTBEGIN(bugprone-reserved-identifier): the C library's own names for what is replaced here.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t number, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

[[gnu::visibility("default")]] void* malloc(std::size_t size) noexcept {
  count.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
[[gnu::visibility("default")]] void* calloc(std::size_t number, std::size_t size) noexcept {
  count.fetch_add(1, std::memory_order_relaxed);
  return __libc_calloc(number, size);
}
[[gnu::visibility("default")]] void* realloc(void* memory, std::size_t size) noexcept {
  count.fetch_add(1, std::memory_order_relaxed);
  return __libc_realloc(memory, size);
}
[[gnu::visibility("default")]] void* aligned_alloc(std::size_t alignment,
                                                   std::size_t size) noexcept {
  count.fetch_add(1, std::memory_order_relaxed);
  return __libc_memalign(alignment, size);
}
}
// NOLINTEND(bugprone-reserved-identifier)

#endif

namespace chronio::conformance {

std::uint64_t allocations() noexcept { return count.load(std::memory_order_relaxed); }

}  // namespace chronio::conformance

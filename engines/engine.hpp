// engine.hpp: the ioengine contract, the only header a plugin needs; holds nothing of the runner's.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace chronio {

inline constexpr std::uint16_t kEngineApiMajor = 1;  ///< differs: the engine is refused
inline constexpr std::uint16_t kEngineApiMinor = 2;  ///< newer than ours: refused; older: loads

/// Data direction of a request; fio's `ddir`. Open-ended: an engine answers a value that it does
/// not know with -EOPNOTSUPP. `sync` is fsync(2), `datasync` fdatasync(2).
enum class Ddir : std::uint8_t { read, write, trim, sync, datasync, sync_file_range };

/// One request; fio's `io_u`. The worker owns it and lends it to the engine from queue() until
/// queue() answers `completed` or reap() hands it back. One cache line.
struct Io {
  std::uint64_t offset;  ///< bytes from the start of the file
  std::byte* buf;        ///< len bytes, aligned to Setup::buf_align; lies in Setup::buffers
  std::uint32_t len;     ///< bytes; 0 for sync and datasync
  std::uint32_t file;    ///< number of the file, below Setup::file_count
  std::uint32_t index;   ///< the request's slot, below Setup::iodepth; also its buffer's number
  Ddir ddir;
  std::uint8_t flags;    ///< 0 in this version
  std::uint16_t ioprio;  ///< as ioprio_set(2); 0 is the process's own
  std::int64_t result;   ///< set by the engine: bytes done, -errno, or -(kDeviceStatus + status)
  void* engine_data;     ///< the engine's own; null before the first queue()
  std::uint64_t reserved[2];  ///< 0 in this version
};
static_assert(sizeof(Io) == 64 && std::is_trivially_copyable_v<Io>);
/// A device's own status (NVMe's are positive) is reported as -(kDeviceStatus + status).
inline constexpr std::int64_t kDeviceStatus = 4096;
enum class Access : std::uint8_t { read_only, write_only, read_write };
enum class Advice : std::uint8_t { none, random, sequential };  ///< as posix_fadvise(2)

/// What is read and written.
struct File {
  const char* path;
  std::uint64_t size;  ///< bytes from 0 to the end of what the job works in
  std::int32_t fd;     ///< open descriptor; -1 with kOpensFiles or kDiskless
  Access access;       ///< how `fd` was opened
  bool direct;         ///< O_DIRECT was asked for; `fd` has it
  bool laid_out;       ///< 1.1: this run made the file, so nobody misses it
  Advice advice;       ///< 1.2: order of access that the kernel was told of `fd`, for mappings
};

/// One engine option as the job set it (or its fallback).
struct OptionValue {
  const char* name;
  const char* text;     ///< as the job spells it
  std::int64_t number;  ///< in the declared unit; 0 or 1 for flags; index into choices; 0 for text
};

/// What a worker asks of an engine. What it points to outlives close(); copy the struct itself.
/// Arrays are walked by the element size beside them, so that both sides may grow theirs.
struct Setup {
  std::uint32_t size;        ///< sizeof(Setup) on the runner's side
  std::uint32_t iodepth;     ///< most requests ever outstanding, at least 1
  std::uint32_t buf_align;   ///< bytes, a power of two
  std::uint32_t buf_stride;  ///< bytes from one slot's buffer to the next; a multiple of buf_align
  std::byte* buffers;        ///< iodepth buffers of buf_stride bytes: one region, for registering
  const File* files;
  std::uint32_t file_count;
  std::uint32_t file_size;     ///< bytes from one File to the next
  const OptionValue* options;  ///< every option that the engine declared, in its order
  std::uint32_t option_count;
  std::uint32_t value_size;  ///< bytes from one OptionValue to the next

  /// REQUIRES: index < file_count, or option_count.
  [[nodiscard]] const File& file(std::uint32_t index) const noexcept {
    return *at(files, index, file_size);
  }
  [[nodiscard]] const OptionValue& option(std::uint32_t index) const noexcept {
    return *at(options, index, value_size);
  }

 private:
  template <class T>
  static const T* at(const T* first, std::uint32_t index, std::uint32_t stride) noexcept {
    const auto* bytes = static_cast<const std::byte*>(static_cast<const void*>(first));
    return static_cast<const T*>(static_cast<const void*>(bytes + std::size_t{index} * stride));
  }
};

/// Size and limits of a file, as the engine's own interface sees it.
struct Geometry {
  std::uint64_t bytes;           ///< usable size
  std::uint32_t logical_block;   ///< bytes; offsets and lengths are multiples of it
  std::uint32_t metadata_bytes;  ///< per logical block; 0 without
  std::uint32_t max_transfer;    ///< bytes of a read or a write; 0: no limit known
};

/// What was really in use; -1 where the engine can't tell. The last line since 1.1.
struct Facts {
  std::int64_t polled = -1;                                ///< completions found by polling
  std::int64_t fixed_buffers = -1, registered_files = -1;  ///< 1 when registered with the kernel
  std::int64_t enter_calls = -1, inline_completions = -1;  ///< system calls; done while submitting
  std::int64_t punts = -1;                         ///< requests handed to kernel worker threads
  std::int64_t sq_poll = -1, kernel_workers = -1;  ///< 1: a kernel thread submitted; io-wq threads
};

enum class Queued : std::uint8_t {
  completed,  ///< done: result is set, and reap() will not return it
  pending,    ///< accepted: reap() returns it later
  busy,  ///< not accepted: commit(), reap(), then offer it again; never with nothing outstanding
};

/// An ioengine: one object per worker, used by its thread alone. [setup] hooks run outside the
/// measurement; [hot] hooks must not allocate, lock, log or (but for a timed wait) read a clock.
class Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  Engine(Engine&&) = delete;
  Engine& operator=(Engine&&) = delete;
  virtual ~Engine() = default;

  /// [setup] Take what the run needs. Returns 0 or -errno; after an error close() is not called.
  [[nodiscard]] virtual int open(const Setup& setup) noexcept = 0;

  /// [hot] Take one request. Of `io`, only `result` and `engine_data` are the engine's to write.
  [[nodiscard]] virtual Queued queue(Io& io) noexcept = 0;

  /// [hot] Hand over all that is pending, if any. 0, or -errno when the engine itself can't go on.
  [[nodiscard]] virtual int commit() noexcept { return 0; }

  /// [hot] Hand over what commit() has not, wait for at least `min` completions for at most
  /// `timeout_ns` (below 0: no limit; 0: don't wait) whatever signals come, and write up to
  /// done.size() of them to `done`. How many, or -errno. REQUIRES: min <= done.size(), outstanding.
  [[nodiscard]] virtual int reap(std::uint32_t /*min*/, std::span<Io*> /*done*/,
                                 std::int64_t /*timeout_ns*/) noexcept {
    return 0;
  }

  /// [setup] Release what open() took. Nothing is outstanding; with kMapsFiles open() may follow.
  virtual void close() noexcept {}

  /// [setup] Size and limits of `file` (fd may be -1); may come before open(), on any thread.
  /// -ENOSYS, the default: what stat(2) and sysfs say counts. Another -errno refuses the file.
  [[nodiscard]] virtual int geometry(const File& /*file*/, Geometry& /*out*/) noexcept {
    return -ENOSYS;
  }

  /// [setup] Called once after the run, before close(). What `out` is not told stays -1.
  virtual void facts(Facts& /*out*/) const noexcept {}
};
static_assert(sizeof(std::span<Io*>) == 16);  // alike in libstdc++ and libc++, so it may cross

inline constexpr std::uint32_t kSynchronous = 1U << 0;  ///< queue() always answers `completed`
inline constexpr std::uint32_t kNoData = 1U << 1;       ///< buffers are neither read nor written
inline constexpr std::uint32_t kOpensFiles = 1U << 2;   ///< opens File::path itself
inline constexpr std::uint32_t kDiskless = 1U << 3;  ///< needs no file; the size comes from the job
inline constexpr std::uint32_t kOwnsThreads = 1U << 4;  ///< runs threads of its own
inline constexpr std::uint32_t kTrims = 1U << 5;        ///< 1.1: takes Ddir::trim
inline constexpr std::uint32_t kNoReads = 1U << 6;      ///< takes no Ddir::read
inline constexpr std::uint32_t kOwnFiles = 1U << 7;     ///< destroys: only what was laid_out
inline constexpr std::uint32_t kMakesFiles = 1U << 8;   ///< makes its files; none is laid out
inline constexpr std::uint32_t kWholeFiles = 1U << 9;   ///< one request for each file, no size
inline constexpr std::uint32_t kBlocks = 1U << 10;      ///< commit(), reap() may wait for the I/O
inline constexpr std::uint32_t kMapsFiles = 1U << 11;   ///< 1.2: reopened before caches are dropped
inline constexpr std::uint32_t kOneByOne = 1U << 12;    ///< 1.2: one request at a time in each file

/// A flag is bare, or 0 or 1; a number is in `unit`; a choice is one of `choices`.
enum class OptionType : std::uint8_t { flag, number, choice, text };
enum class OptionUnit : std::uint8_t { none, bytes, nanoseconds, percent };

/// An option that the engine understands, checked by the job parser with file and line.
struct OptionDecl {
  const char* name;
  OptionType type;
  OptionUnit unit;
  std::int64_t minimum, maximum;  ///< of a number
  const char* const* choices;     ///< ends with a null pointer; null unless a choice
  const char* fallback;  ///< value when the job is silent: plain digits in `unit`, a choice, text
  const char* help;      ///< one line, with the unit
};

/// What an engine exports: plain data, checked before create() is called. Append only.
struct EngineInfo {
  std::uint32_t size;                  ///< sizeof(EngineInfo) when the engine was built
  std::uint16_t api_major, api_minor;  ///< of the engine.hpp that it was built with
  std::uint32_t io_size;               ///< sizeof(Io) when the engine was built
  std::uint32_t flags;                 ///< kSynchronous and those behind it
  const char* name;
  const char* help;           ///< one line
  const OptionDecl* options;  ///< option_count of them, option_size bytes apart
  std::uint32_t option_count, option_size;
  Engine* (*create)();       ///< null: the engine can't be had
  void (*destroy)(Engine*);  ///< of what create() made
};

}  // namespace chronio

#ifndef CHRONIO_ENGINE_SYMBOL  // built-in engines get their own name from Meson
#define CHRONIO_ENGINE_SYMBOL chronio_engine
#endif

/// Exports `Type`; `options_` is a std::span of static OptionDecl. Once, at the end of the file.
// NOLINTBEGIN(bugprone-macro-parentheses): a type name cannot be parenthesised.
#define CHRONIO_ENGINE(name_, Type, flags_, options_, help_)                                   \
  extern "C" const ::chronio::EngineInfo CHRONIO_ENGINE_SYMBOL [[gnu::visibility("default")]]; \
  const ::chronio::EngineInfo CHRONIO_ENGINE_SYMBOL = {                                        \
      .size = sizeof(::chronio::EngineInfo),                                                   \
      .api_major = ::chronio::kEngineApiMajor,                                                 \
      .api_minor = ::chronio::kEngineApiMinor,                                                 \
      .io_size = sizeof(::chronio::Io),                                                        \
      .flags = (flags_),                                                                       \
      .name = (name_),                                                                         \
      .help = (help_),                                                                         \
      .options = (options_).data(),                                                            \
      .option_count = static_cast<std::uint32_t>((options_).size()),                           \
      .option_size = sizeof(::chronio::OptionDecl),                                            \
      .create = []() -> ::chronio::Engine* { return new Type; },                               \
      .destroy = [](::chronio::Engine* engine) { delete engine; }}
// NOLINTEND(bugprone-macro-parentheses)

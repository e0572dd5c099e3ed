// session.hpp: an engine over a scratch file, with requests and buffers as a worker has them.
#pragma once

#include "engines/registry.hpp"

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace chronio::conformance {

/// The engine breaks the contract; what() says how.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws Failure(message) unless `holds`. A literal costs nothing while all is well.
void expect(bool holds, const char* message);
void expect(bool holds, const std::string& message);

/// What is tested, and how.
struct Subject {
  const EngineInfo* info = nullptr;
  std::vector<OptionValue> options;     ///< all of the engine's, in its order
  std::chrono::nanoseconds patience{};  ///< after that, a request counts as lost

  [[nodiscard]] bool has(std::uint32_t flag) const noexcept { return (info->flags & flag) != 0; }
  /// What a request that is no write does: a read, unless the engine takes none.
  [[nodiscard]] Ddir other() const noexcept { return has(kNoReads) ? Ddir::write : Ddir::read; }
  /// A file can be used but once: there is one request for each.
  [[nodiscard]] bool uses_files_up() const noexcept {
    return has(kWholeFiles) && (has(kMakesFiles) || has(kOwnFiles));
  }
};

/// An engine's options: its fallbacks, and each "name=value" of `settings` in their place. What the
/// strings point to must live on. Throws std::invalid_argument.
[[nodiscard]] std::vector<OptionValue> option_values(const EngineInfo& info,
                                                     std::span<const char* const> settings);

/// How large a session is.
struct Shape {
  std::uint32_t iodepth = 8;
  std::uint32_t block = 4096;  ///< bytes, a power of two and at least 512
  std::uint32_t blocks = 64;   ///< of the scratch file, which has holes only
  bool direct = false;         ///< O_DIRECT
  std::uint32_t files = 1;     ///< scratch files; absent where the engine makes its files
  Access access = Access::read_write;
  bool laid_out = true;  ///< the files are the run's own
  Advice advice = Advice::none;
};

/// One engine object with all it needs, used by one thread. Closes and removes everything at its
/// end.
class Session {
 public:
  /// With `fd`, that descriptor (not owned) stands in the place of the scratch file's.
  explicit Session(const Subject& subject, const Shape& shape = {}, std::optional<int> fd = {});
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  Session(Session&&) = delete;
  Session& operator=(Session&&) = delete;
  ~Session();

  /// Engine::open(): 0 or -errno.
  [[nodiscard]] int try_open();
  /// Throws Failure when it can't.
  void open();
  void close() noexcept;
  /// Leaves the engine and its buffers as they are: requests are outstanding.
  void abandon() noexcept;

  [[nodiscard]] Engine& engine() const noexcept { return *engine_; }
  [[nodiscard]] const Subject& subject() const noexcept { return subject_; }
  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  [[nodiscard]] const File& file() const noexcept { return files_.front(); }
  [[nodiscard]] std::span<Io> ios() noexcept { return ios_; }

 private:
  struct Free {
    void operator()(std::byte* memory) const noexcept { std::free(memory); }
  };
  void make_scratch();
  [[nodiscard]] int make_file(const std::string& path) const;
  [[nodiscard]] Setup setup() const;

  const Subject& subject_;
  const Shape shape_;
  std::string folder_;
  std::vector<std::string> paths_;
  std::vector<int> fds_;  ///< of the scratch files
  std::vector<File> files_;
  std::unique_ptr<std::byte, Free> buffers_;
  std::vector<Io> ios_;
  EngineHandle engine_;
  bool is_open_ = false;
};

}  // namespace chronio::conformance

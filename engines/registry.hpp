// registry.hpp: from an ioengine's name to its EngineInfo: the built-in table, or a shared object.
#pragma once

#include "engines/engine.hpp"

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace chronio {

/// Why an engine can't be had; what() begins with "ioengine=NAME: " and says what would be right.
/// The only exception of this folder: it belongs to set-up, never to a hot hook.
struct EngineError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// All built-in engines, in the order of engines/meson.build; static, never empty (null has no
/// dependency). Engines whose library was absent at build time are simply not there.
[[nodiscard]] std::span<const EngineInfo* const> builtin_engines() noexcept;

/// Why `info` can't be used by this program; empty when it can. Looks at plain data only, and at no
/// more of it than `info` says it has, so it may be asked of what a foreign object calls so.
/// Nothing of the engine's own code runs.
[[nodiscard]] std::string incompatible(const EngineInfo& info);

/// The engine called `name`, or the one in the shared object PATH for "external:PATH" (loaded once,
/// never unloaded, so that the reference holds to the end of the process). PATH is a file's path:
/// no library directory is searched. Loading runs the object's static constructors. Throws
/// EngineError.
[[nodiscard]] const EngineInfo& find_engine(std::string_view name);

/// Option `index` of an engine, found by the engine's own option_size: a plugin's OptionDecl may be
/// shorter than ours. REQUIRES: index < info.option_count.
[[nodiscard]] const OptionDecl& engine_option(const EngineInfo& info, std::uint32_t index) noexcept;

/// Owns one engine object made by `info`, and gives it back to the engine's own destroy(): what one
/// library allocated, no other frees. The engine's code outlives it (see find_engine()).
class EngineHandle {
 public:
  EngineHandle() = default;
  /// Throws EngineError when the engine makes none.
  explicit EngineHandle(const EngineInfo& info);
  /// REQUIRES: an engine is held.
  [[nodiscard]] Engine& operator*() const noexcept { return *engine_; }
  [[nodiscard]] Engine* operator->() const noexcept { return engine_.get(); }
  /// False after the default constructor and after abandon().
  [[nodiscard]] explicit operator bool() const noexcept { return engine_ != nullptr; }
  /// Gives the object up without destroying it: its requests are still outstanding, and the kernel
  /// may yet write to memory that the object owns. It leaks on purpose.
  void abandon() noexcept { static_cast<void>(engine_.release()); }

 private:
  std::unique_ptr<Engine, void (*)(Engine*)> engine_{nullptr, [](Engine*) {}};
};

/// What a failed request's Io::result says, in words: errno text, or below -kDeviceStatus the
/// device's own status in hexadecimal with its NVMe name where it is known. REQUIRES: result < 0.
[[nodiscard]] std::string describe_result(std::int64_t result);

}  // namespace chronio

// registry.hpp: from an ioengine's name to its EngineInfo: the built-in table, or a shared object.
#pragma once

#include "engines/engine.hpp"

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace chronio {

/// Why an engine can't be had; what() names it and says what would be right.
struct EngineError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// All built-in engines, in the order of engines/meson.build.
[[nodiscard]] std::span<const EngineInfo* const> builtin_engines() noexcept;

/// Why `info` can't be used by this program; empty when it can. Looks at plain data only, and at no
/// more of it than `info` says it has.
[[nodiscard]] std::string incompatible(const EngineInfo& info);

/// The engine called `name`, or the one in the shared object PATH for "external:PATH" (loaded once,
/// never unloaded). PATH is a file's path: no library directory is searched. Throws EngineError.
[[nodiscard]] const EngineInfo& find_engine(std::string_view name);

/// Option `index` of an engine. REQUIRES: index < info.option_count.
[[nodiscard]] const OptionDecl& engine_option(const EngineInfo& info, std::uint32_t index) noexcept;

/// Owns one engine object made by `info`.
class EngineHandle {
 public:
  EngineHandle() = default;
  /// Throws EngineError when the engine makes none.
  explicit EngineHandle(const EngineInfo& info);
  [[nodiscard]] Engine& operator*() const noexcept { return *engine_; }
  [[nodiscard]] Engine* operator->() const noexcept { return engine_.get(); }
  [[nodiscard]] explicit operator bool() const noexcept { return engine_ != nullptr; }
  /// Gives the object up without destroying it: its requests are still outstanding.
  void abandon() noexcept { static_cast<void>(engine_.release()); }

 private:
  std::unique_ptr<Engine, void (*)(Engine*)> engine_{nullptr, [](Engine*) {}};
};

/// What a failed request's Io::result says, in words: errno text, or the device's own status.
/// REQUIRES: result < 0.
[[nodiscard]] std::string describe_result(std::int64_t result);

}  // namespace chronio

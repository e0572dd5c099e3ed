// registry.cpp: built-in engines by name, others by loading a shared object.
#include "engines/registry.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHRONIO_BUILTIN(name) extern "C" const chronio::EngineInfo chronio_engine_##name;
#include "builtin_engines.hpp"
#undef CHRONIO_BUILTIN

namespace chronio {
namespace {

constexpr std::string_view kExternal = "external:";

// Filled from the list that Meson generates: no constructor functions, whose order nobody knows,
// and no section of the linker's.
constexpr std::array kBuiltin{
#define CHRONIO_BUILTIN(name) &chronio_engine_##name,
#include "builtin_engines.hpp"
#undef CHRONIO_BUILTIN
};

[[noreturn]] void refuse(std::string_view name, const std::string& why) {
  throw EngineError("ioengine=" + std::string(name) + ": " + why);
}

/// Why nothing can be loaded from `path`, told better than by dlopen(3); empty when it may work.
std::string unreadable(const std::string& path) {
  struct stat status {};
  if (path.empty()) return "a path is missing: external:PATH";
  if (stat(path.c_str(), &status) != 0) return describe_result(-errno);
  if (!S_ISREG(status.st_mode)) return "not a regular file; a shared object (.so) is needed";
  return access(path.c_str(), R_OK) == 0 ? "" : describe_result(-errno);
}

const EngineInfo& load(std::string_view name) {
  std::string path(name.substr(kExternal.size()));
  if (const std::string why = unreadable(path); !why.empty()) refuse(name, why);
  if (path.find('/') == std::string::npos) path.insert(0, "./");  // or dlopen searches libraries
  // Now: a missing symbol is an error here, not a crash in the loop. Local: two plugins may use the
  // same names. Never closed, since requests, options and messages point into it.
  void* object = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) refuse(name, std::string("can't be loaded: ") + dlerror());
  // A data symbol: nothing of the plugin's runs before incompatible() has looked at it, its static
  // constructors apart.
  const void* symbol = dlsym(object, "chronio_engine");
  if (symbol == nullptr) {
    refuse(name, "not a chronio engine: it exports no symbol chronio_engine (see CHRONIO_ENGINE)");
  }
  const auto& info = *static_cast<const EngineInfo*>(symbol);
  if (const std::string why = incompatible(info); !why.empty()) refuse(name, why);
  return info;
}

std::string builtin_names() {
  std::string names;
  for (const EngineInfo* info : kBuiltin) names += std::string(info->name) + ", ";
  return names;
}

}  // namespace

std::span<const EngineInfo* const> builtin_engines() noexcept { return kBuiltin; }

const EngineInfo& find_engine(std::string_view name) {
  if (name.starts_with(kExternal)) return load(name);
  const auto* found =
      std::ranges::find_if(kBuiltin, [name](const auto* info) { return info->name == name; });
  if (found == kBuiltin.end()) {
    refuse(name, "no such ioengine; there are " + builtin_names() + "and external:PATH");
  }
  return **found;
}

const OptionDecl& engine_option(const EngineInfo& info, std::uint32_t index) noexcept {
  // By the engine's own element size: an older plugin's entries lie closer together.
  const auto* bytes = static_cast<const std::byte*>(static_cast<const void*>(info.options));
  return *static_cast<const OptionDecl*>(
      static_cast<const void*>(bytes + std::size_t{index} * info.option_size));
}

EngineHandle::EngineHandle(const EngineInfo& info) : engine_(info.create(), info.destroy) {
  if (!engine_) refuse(info.name, "it made no engine object: create() returned null");
}

}  // namespace chronio

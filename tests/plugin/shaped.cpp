// shaped.cpp: a plugin that says of each file what its name asks for: "bad" in it: no geometry,
// "md": 8 bytes of metadata for each block; all have 1 MiB in blocks of 512 bytes, and move 128 KiB
// at once.
#include "engines/engine.hpp"

#include <array>
#include <string_view>

namespace {

using namespace chronio;

class Shaped final : public Engine {
 public:
  int open(const Setup& /*setup*/) noexcept override { return 0; }

  Queued queue(Io& io) noexcept override {
    io.result = io.len;
    return Queued::completed;
  }

  int geometry(const File& file, Geometry& out) noexcept override {
    const std::string_view path = file.path;
    if (path.ends_with("bad")) return -EMEDIUMTYPE;
    if (path.ends_with("none")) return -ENODEV;
    out = {1 << 20, 512, path.ends_with("md") ? 8U : 0U, 131072};
    return 0;
  }
};

constexpr std::array kOptions{OptionDecl{"md_per_io_size", OptionType::number, OptionUnit::bytes, 0,
                                         65536, nullptr, "0",
                                         "metadata buffer of each I/O in bytes"}};

}  // namespace

CHRONIO_ENGINE("shaped", Shaped, kSynchronous | kNoData | kOpensFiles | kTrims,
               (std::span<const OptionDecl>{kOptions}), "tells the geometry that a name asks for");

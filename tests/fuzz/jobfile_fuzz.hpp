// jobfile_fuzz.hpp: the fuzz target's entry, as libFuzzer calls it.
#pragma once

#include <cstddef>
#include <cstdint>

/// Parses and resolves `size` bytes and checks what must hold for any text; aborts when it does
/// not.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

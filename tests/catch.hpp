// catch.hpp: Catch2, whichever version the system has: 2 (one header) or 3. Use only what both
// know, and include this file, never theirs.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif

// checks.hpp: the rules of the ioengine contract, each as a function that tries an engine on it.
#pragma once

#include "tests/conformance/session.hpp"

#include <span>

namespace chronio::conformance {

struct Check {
  const char* claim;                ///< true of an engine that passes
  void (*run)(const Subject&);      ///< throws Failure
  bool (*applies)(const Subject&);  ///< null: to every engine
};

/// Tries `checks`, as far as they apply, and prints what comes of each. True when all pass.
[[nodiscard]] bool passes(const Subject& subject, std::span<const Check> checks);

/// Prints it, and is true, when the kernel refuses what the engine needs: no check can be tried.
[[nodiscard]] bool is_refused(const Subject& subject);

/// What becomes of one request.
[[nodiscard]] std::span<const Check> transfer_checks();
/// Book-keeping of many.
[[nodiscard]] std::span<const Check> queue_checks();
/// Waiting, time limits and signals.
[[nodiscard]] std::span<const Check> waiting_checks();
/// Memory, descriptors, threads.
[[nodiscard]] std::span<const Check> resource_checks();
/// Instead of all of these, for an engine that uses its files up.
[[nodiscard]] std::span<const Check> whole_file_checks();

}  // namespace chronio::conformance

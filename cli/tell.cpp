// tell.cpp: diagnostics on stderr.
#include "cli/tell.hpp"

#include <set>

namespace chronio::cli {

void tell_each(const std::vector<jobs::Diagnostic>& diagnostics) {
  std::set<std::string> told;
  for (const jobs::Diagnostic& diagnostic : diagnostics)
    if (const auto [text, fresh] = told.insert(jobs::format(diagnostic)); fresh) tell("{}", *text);
}

}  // namespace chronio::cli

// tell.cpp: writes messages to stderr.
#include "cli/tell.hpp"

#include <cstdio>
#include <set>

namespace chronio::cli {

// Not fmt::print, which throws where it can't write.
void tell_text(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

void tell_each(const std::vector<jobs::Diagnostic>& diagnostics) {
  std::set<std::string> told;
  for (const jobs::Diagnostic& diagnostic : diagnostics)
    if (const auto [text, fresh] = told.insert(jobs::format(diagnostic)); fresh) tell_text(*text);
}

}  // namespace chronio::cli

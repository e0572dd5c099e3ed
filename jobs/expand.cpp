// expand.cpp: finds and replaces ${VAR} and the whole-word keywords of a line.
#include "jobs/expand.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <unistd.h>

namespace chronio::jobs {
namespace {

constexpr std::uint64_t kMebibyte = 1 << 20;

/// 0 stands for what sysconf(3) does not know.
std::uint64_t setting_of(int name) {
  const long value = sysconf(name);
  return value > 0 ? static_cast<std::uint64_t>(value) : 0;
}

/// Asked for only where it is used.
struct Keyword {
  std::string_view name;
  std::uint64_t (*value)();
};

/// Source: fio's HOWTO, "Reserved keywords".
constexpr std::array<Keyword, 3> kKeywords = {{
    {"$pagesize", [] { return setting_of(_SC_PAGESIZE); }},
    {"$mb_memory",
     [] { return setting_of(_SC_PHYS_PAGES) * setting_of(_SC_PAGESIZE) / kMebibyte; }},
    {"$ncpus", [] { return setting_of(_SC_NPROCESSORS_ONLN); }},
}};

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// The keyword that stands at the start of `text` as a whole word, so that "$ncpus2" is none; null
/// without.
const Keyword* keyword_at(std::string_view text) {
  const auto* found = std::find_if(kKeywords.begin(), kKeywords.end(), [&](const Keyword& keyword) {
    const std::size_t end = keyword.name.size();
    return text.starts_with(keyword.name) && (text.size() == end || !is_word(text[end]));
  });
  return found == kKeywords.end() ? nullptr : found;
}

/// In one pass over the text as it was: what a keyword became is not looked at again.
void replace_keywords(Expanded& out) {
  std::size_t at = out.text.find('$');
  if (at == std::string::npos) return;
  const std::string from = std::move(out.text);
  out.text.clear();
  std::size_t done = 0;
  for (; at != std::string::npos; at = from.find('$', at + 1)) {
    const Keyword* keyword = keyword_at(std::string_view(from).substr(at));
    if (keyword == nullptr) continue;
    out.text.append(from, done, at - done);
    out.text += fmt::format("{}", keyword->value());
    out.keyword = true;
    done = at + keyword->name.size();
  }
  out.text.append(from, done);
}

/// Puts values into `out.text`. What a value holds is not searched for variables: one that names
/// itself would never end.
void replace_variables(std::string_view text, const ParserWorld& world, Expanded& out) {
  std::size_t done = 0;
  const auto refuse = [&](std::size_t at, std::string error) {
    out.error = std::move(error);
    out.at = static_cast<std::uint32_t>(at);
  };
  for (std::size_t at = text.find("${"); at != std::string_view::npos; at = text.find("${", done)) {
    const std::size_t close = text.find('}', at);
    if (close == std::string_view::npos) return refuse(at, "\"${\" without a closing \"}\"");
    const std::string name(text.substr(at + 2, close - at - 2));
    if (name.empty()) return refuse(at, "\"${}\" names no variable");
    const auto value = world.environment(name);
    if (!value)
      return refuse(at, fmt::format("the environment variable {} is not set", shown(name)));
    out.text += text.substr(done, at - done);
    out.text += *value;
    // Each variable may be as long as the environment allows, and a line may name it many times.
    if (out.text.size() > kLargestJobFile) return refuse(at, "the line gets too long");
    done = close + 1;
  }
  out.text += text.substr(done);
}

}  // namespace

Expanded expand(std::string_view text, const ParserWorld& world) {
  Expanded out;
  // Nearly all lines: no copy piece by piece, no second look.
  if (text.find('$') == std::string_view::npos) {
    out.text = text;
    return out;
  }
  replace_variables(text, world, out);
  if (out.error.empty()) replace_keywords(out);
  return out;
}

/// Digits first, so that a path such as "/dev/$ncpus" is none.
bool looks_like_arithmetic(std::string_view value) {
  constexpr std::string_view kOperators = "+-*/";
  constexpr std::string_view kOthers = "0123456789.()% \tkKmMgGtTpPiIbB";
  if (value.empty() || std::string_view("0123456789(").find(value[0]) == std::string_view::npos)
    return false;
  return value.find_first_of(kOperators) != std::string_view::npos &&
         std::all_of(value.begin(), value.end(), [&](char c) {
           return kOperators.find(c) != std::string_view::npos ||
                  kOthers.find(c) != std::string_view::npos;
         });
}

}  // namespace chronio::jobs

#include "jobs/paths.hpp"

#include "jobs/messages.hpp"

#include <algorithm>
#include <climits>
#include <fmt/format.h>

namespace chronio::jobs {
namespace {

constexpr std::size_t kLongestPath = PATH_MAX - 1;  // PATH_MAX counts the ending NUL
constexpr std::size_t kLongestPart = NAME_MAX;

/// Bytes of the longest part between slashes.
std::size_t longest_part(std::string_view path) {
  std::size_t longest = 0;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    longest = std::max(longest, end);
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return longest;
}

const std::string* longest(const std::vector<std::string>& names) {
  const auto found = std::max_element(
      names.begin(), names.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  return found == names.end() ? nullptr : &*found;
}

std::string part_error(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (const std::size_t bytes = longest_part(name); bytes > kLongestPart) {
      return fmt::format("path too long: a part of it has {} bytes; at most {} would be right",
                         bytes, kLongestPart);
    }
  }
  return {};
}

/// The diagnostic stands at the option called `key`, else at the section.
Diagnostic at_option(const JobSpec& spec, std::string_view key, const std::string& message) {
  const OptionRow* row = find_option(key);
  const Setting* setting = row == nullptr ? nullptr : written_by(spec, *row);
  if (setting == nullptr) return {Severity::error, spec.where, message};
  return about(*setting, Severity::error, message);
}

}  // namespace

std::vector<Diagnostic> path_errors(const JobSpec& spec) {
  const Job& job = spec.job;
  std::vector<Diagnostic> out;
  for (const auto& [key, names] :
       {std::pair{"filename", &job.filename}, {"directory", &job.directory}}) {
    if (const std::string error = part_error(*names); !error.empty())
      out.push_back(at_option(spec, key, error));
  }
  if (!out.empty()) return out;
  const std::string* directory = longest(job.directory);
  const std::string* name = longest(job.filename);
  // Files without a name are called JOB.COPY.NUMBER.
  const std::size_t name_bytes =
      name != nullptr ? name->size()
                      : job.name.size() + fmt::formatted_size(".{}.0", job.numjobs - 1);
  const std::size_t bytes = name_bytes + (directory != nullptr ? directory->size() + 1 : 0);
  if (bytes > kLongestPath) {
    out.push_back(
        at_option(spec, name != nullptr ? "filename" : "directory",
                  fmt::format("path too long: {} bytes{}; at most {} would be right", bytes,
                              directory != nullptr ? " with the directory" : "", kLongestPath)));
  }
  return out;
}

}  // namespace chronio::jobs

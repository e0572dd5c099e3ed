// paths.cpp: checks names and folders against the kernel's limits before anything is opened.
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

/// Bytes of the longest name; 0 without any.
std::size_t longest(const std::vector<std::string>& names) {
  std::size_t bytes = 0;
  for (const std::string& name : names) bytes = std::max(bytes, name.size());
  return bytes;
}

/// Length of "DIRECTORY/NAME", or of the name alone.
std::size_t joined(std::size_t directory, std::size_t name) {
  return directory > 0 ? directory + 1 + name : name;
}

/// Bytes of the longest path; a name from the root stays out of the directory.
std::size_t longest_joined(const std::vector<std::string>& names, std::size_t directory) {
  std::size_t bytes = 0;
  for (const std::string& name : names) {
    bytes = std::max(bytes, name.starts_with('/') ? name.size() : joined(directory, name.size()));
  }
  return bytes;
}

/// At most one message for each option: the names of a long list tend to be alike.
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
  // Parts before whole paths: who shortens a part often has a path that fits, too.
  for (const auto& [key, names] :
       {std::pair{"filename", &job.filename}, {"directory", &job.directory}}) {
    if (const std::string error = part_error(*names); !error.empty())
      out.push_back(at_option(spec, key, error));
  }
  if (!out.empty()) return out;
  // An upper bound: not every name need stand in the longest directory.
  const std::size_t directory = longest(job.directory);
  const bool own_name = !job.filename.empty();
  const std::size_t bytes =
      own_name ? longest_joined(job.filename, directory)
               // Files without a name are called JOB.COPY.NUMBER.
               : joined(directory, job.name.size() + fmt::formatted_size(".{}.0", job.numjobs - 1));
  if (bytes > kLongestPath) {
    out.push_back(
        at_option(spec, own_name ? "filename" : "directory",
                  fmt::format("path too long: {} bytes{}; at most {} would be right", bytes,
                              directory > 0 ? " with the directory" : "", kLongestPath)));
  }
  return out;
}

}  // namespace chronio::jobs

// paths.cpp: checks names and folders against the kernel's limits before anything is opened.
#include "jobs/paths.hpp"

#include "jobs/generated_name.hpp"
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

/// Bytes of "DIRECTORY/NAME"; a name from the root stays out of the directory.
std::size_t joined(std::string_view directory, std::string_view name) {
  if (directory.empty() || name.starts_with('/')) return name.size();
  return directory.size() + (directory.ends_with('/') ? 0 : 1) + name.size();
}

/// The longest of the names that are generated; see generated_name().
std::string longest_name(const Job& job, std::uint32_t last_copy) {
  return generated_name(job, last_copy, job.nrfiles - 1);
}

/// Bytes of the longest path. Given names stand in the first directory; copies take turns with the
/// directories, and of those in one directory the last has the longest names.
std::size_t longest_path(const Job& job) {
  std::size_t bytes = 0;
  const std::string first = job.directory.empty() ? "" : job.directory.front();
  for (const std::string& name : job.filename) bytes = std::max(bytes, joined(first, name));
  if (!job.filename.empty()) return bytes;
  const auto directories = static_cast<std::uint32_t>(job.directory.size());
  if (directories == 0) return longest_name(job, job.numjobs - 1).size();
  for (std::uint32_t turn = 0; turn < std::min(directories, job.numjobs); ++turn) {
    const std::uint32_t last = job.numjobs - 1 - (job.numjobs - 1 - turn) % directories;
    bytes = std::max(bytes, joined(job.directory[turn], longest_name(job, last)));
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

/// The caret stands at the format, or the section whose name is too long.
void check_generated(const JobSpec& spec, std::vector<Diagnostic>& out) {
  const std::string name = longest_name(spec.job, spec.job.numjobs - 1);
  if (const std::string error = part_error({name}); !error.empty())
    out.push_back(
        at_option(spec, "filename_format", fmt::format("file {}: {}", shown(name), error)));
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
  if (job.filename.empty()) check_generated(spec, out);
  if (!out.empty()) return out;
  const char* key = !job.filename.empty()    ? "filename"
                    : !job.directory.empty() ? "directory"
                                             : "filename_format";
  if (const std::size_t bytes = longest_path(job); bytes > kLongestPath) {
    out.push_back(
        at_option(spec, key,
                  fmt::format("path too long: {} bytes{}; at most {} would be right", bytes,
                              job.directory.empty() ? "" : " with the directory", kLongestPath)));
  }
  return out;
}

}  // namespace chronio::jobs

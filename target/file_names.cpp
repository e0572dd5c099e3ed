// file_names.cpp: names, given or generated, in directories.
#include "target/file_names.hpp"

#include "jobs/generated_name.hpp"

#include <cstdint>

namespace chronio::target {
namespace {

std::vector<std::string> generated_names(const jobs::Job& job, std::uint32_t clone) {
  std::vector<std::string> names;
  names.reserve(job.nrfiles);
  for (std::uint32_t file = 0; file < job.nrfiles; ++file)
    names.push_back(jobs::generated_name(job, clone, file));
  return names;
}

std::string in_directory(const std::string& directory, const std::string& name) {
  // As open(2) would take it: an absolute name has its directory.
  if (name.starts_with('/')) return name;
  return directory.ends_with('/') ? directory + name : directory + "/" + name;
}

}  // namespace

std::vector<std::string> file_names(const jobs::Job& job, std::uint32_t clone) {
  std::vector<std::string> names = job.filename;
  if (names.empty()) names = generated_names(job, clone);
  if (job.directory.empty()) return names;
  // Given names are the same for each copy: with turns, copies would use different files of one
  // name.
  const std::size_t turn = job.filename.empty() ? clone % job.directory.size() : 0;
  for (std::string& name : names) name = in_directory(job.directory[turn], name);
  return names;
}

}  // namespace chronio::target

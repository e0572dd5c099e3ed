// file_names.cpp: fio's filename_format, and names in directories.
#include "target/file_names.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace chronio::target {
namespace {

/// `format` with $jobname, $jobnum and $filenum replaced; another $word stays, as in fio.
std::string formatted(std::string_view format, const std::string& jobname, std::uint32_t jobnum,
                      std::uint32_t filenum) {
  const std::array<std::pair<std::string_view, std::string>, 3> words = {
      {{"$jobname", jobname},
       {"$jobnum", std::to_string(jobnum)},
       {"$filenum", std::to_string(filenum)}}};
  std::string name;
  while (!format.empty()) {
    const auto word = std::find_if(words.begin(), words.end(), [&](const auto& each) {
      return format.starts_with(each.first);
    });
    if (word == words.end()) {
      name += format.front();
      format.remove_prefix(1);
    } else {
      name += word->second;
      format.remove_prefix(word->first.size());
    }
  }
  return name;
}

std::vector<std::string> generated_names(const jobs::Job& job, std::uint32_t clone) {
  // A name with a slash would lead into a folder that nobody made.
  std::string jobname = job.name;
  std::replace(jobname.begin(), jobname.end(), '/', '_');
  std::vector<std::string> names;
  names.reserve(job.nrfiles);
  for (std::uint32_t file = 0; file < job.nrfiles; ++file)
    names.push_back(formatted(job.filename_format, jobname, clone, file));
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

// generated_name.cpp: fio's filename_format.
#include "jobs/generated_name.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace chronio::jobs {

std::string generated_name(const Job& job, std::uint32_t copy, std::uint32_t file) {
  // A name with a slash would lead into a folder that nobody made.
  std::string jobname = job.name;
  std::replace(jobname.begin(), jobname.end(), '/', '_');
  const std::array<std::pair<std::string_view, std::string>, 3> words = {
      {{"$jobname", jobname},
       {"$jobnum", std::to_string(copy)},
       {"$filenum", std::to_string(file)}}};
  std::string name;
  // What was put in is not looked through again: a job may be called "$jobnum".
  for (std::string_view format = job.filename_format; !format.empty();) {
    const auto* word = std::find_if(words.begin(), words.end(), [&](const auto& each) {
      return format.starts_with(each.first);
    });
    name += word == words.end() ? format.substr(0, 1) : std::string_view(word->second);
    format.remove_prefix(word == words.end() ? 1 : word->first.size());
  }
  return name;
}

}  // namespace chronio::jobs

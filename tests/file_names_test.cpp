// file_names_test.cpp: which files a copy of a job uses.
#include "target/file_names.hpp"

#include "jobs/generated_name.hpp"
#include "jobs/paths.hpp"
#include "tests/catch.hpp"

#include <climits>
#include <sstream>
#include <string>
#include <vector>

using chronio::jobs::Job;
using chronio::target::file_names;
using Names = std::vector<std::string>;

namespace {

Job job_named(const std::string& name) {
  Job job;
  job.name = name;
  return job;
}

/// As the kernel would judge them.
bool too_long(const Names& paths) {
  for (const std::string& path : paths) {
    if (path.size() >= PATH_MAX) return true;
    std::istringstream parts(path);
    for (std::string part; std::getline(parts, part, '/');)
      if (part.size() > NAME_MAX) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("file names: without filename= they are made of job, copy and number", "[target]") {
  Job job = job_named("read");
  CHECK(file_names(job, 0) == Names{"read.0.0"});
  job.nrfiles = 3;
  CHECK(file_names(job, 2) == Names{"read.2.0", "read.2.1", "read.2.2"});
}

TEST_CASE("file names: no slash of a job's name becomes a folder", "[target]") {
  CHECK(file_names(job_named("a/b"), 0) == Names{"a_b.0.0"});
}

TEST_CASE("file names: filename_format replaces its three words and nothing else", "[target]") {
  Job job = job_named("j");
  job.filename_format = "f.$jobnum.$filenum";
  CHECK(file_names(job, 7) == Names{"f.7.0"});
  job.filename_format = "$jobname$jobnum-$client$$filenum.";
  CHECK(file_names(job, 1) == Names{"j1-$client$0."});
  job.filename_format = "all";  // one file for all copies
  CHECK(file_names(job, 5) == Names{"all"});
  job.name = "$jobnum";  // what was put in is not looked through again
  job.filename_format = "$jobname";
  CHECK(file_names(job, 5) == Names{"$jobnum"});
}

TEST_CASE("file names: given names stand as they are, whatever nrfiles says", "[target]") {
  Job job = job_named("j");
  job.filename = {"a", "b"};
  job.nrfiles = 9;
  CHECK(file_names(job, 3) == Names{"a", "b"});
}

TEST_CASE("file names: copies take turns with directories, given names go to the first",
          "[target]") {
  Job job = job_named("j");
  job.directory = {"one", "two/"};
  job.nrfiles = 2;
  CHECK(file_names(job, 0) == Names{"one/j.0.0", "one/j.0.1"});
  CHECK(file_names(job, 1) == Names{"two/j.1.0", "two/j.1.1"});
  CHECK(file_names(job, 2) == Names{"one/j.2.0", "one/j.2.1"});
  job.filename = {"x", "/y"};
  CHECK(file_names(job, 1) == Names{"one/x", "/y"});
}

TEST_CASE("file names: those that are generated are the ones that jobs knows", "[target]") {
  for (const char* format : {"$jobname.$jobnum.$filenum", "f", "$jobnum$$filenum/$jobname$x"}) {
    Job job = job_named("a/$jobnum");
    job.filename_format = format;
    job.nrfiles = 12;
    for (const std::uint32_t clone : {0U, 11U})
      for (std::uint32_t file = 0; file < job.nrfiles; ++file)
        CHECK(file_names(job, clone)[file] == chronio::jobs::generated_name(job, clone, file));
  }
}

TEST_CASE("file names: jobs refuses those that are too long, and no others", "[target]") {
  // Around both limits: lengths of the name, and of one directory, whose turn comes or not.
  for (const std::size_t name : {1U, 249U, 250U, 251U, 252U, 255U})
    for (const std::size_t folder : {3836U, 3837U, 3838U, 3839U, 3840U, 4088U, 4089U, 4090U, 4091U})
      for (const std::uint32_t numjobs : {1U, 2U, 3U, 11U})
        for (const bool given : {false, true}) {
          chronio::jobs::JobSpec spec;
          spec.job = job_named(std::string(name, 'j'));
          if (given) spec.job.filename = {"x", spec.job.name};
          spec.job.numjobs = numjobs;
          spec.job.nrfiles = 11;
          std::string deep;
          while (deep.size() < folder) deep += "d/";
          spec.job.directory = {"short", "s", deep.substr(0, folder)};
          bool expected = false;
          for (std::uint32_t clone = 0; clone < numjobs; ++clone)
            expected = expected || too_long(file_names(spec.job, clone));
          CAPTURE(name, folder, numjobs, given);
          CHECK(path_errors(spec).empty() == !expected);
        }
}

// file_names_test.cpp: which files a copy of a job uses.
#include "target/file_names.hpp"

#include "tests/catch.hpp"

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

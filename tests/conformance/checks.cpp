// checks.cpp: tries an engine on checks and prints what comes of it.
#include "tests/conformance/checks.hpp"

#include <iostream>
#include <string_view>

namespace chronio::conformance {
namespace {

bool passes(const Subject& subject, const Check& check) {
  const auto tell = [&](std::string_view verdict, std::string_view why) {
    std::cout << subject.info->name << ": " << verdict << check.claim << why << std::endl;
  };
  if (check.applies != nullptr && !check.applies(subject)) {
    tell("n/a  ", "");
    return true;
  }
  try {
    check.run(subject);
    tell("ok   ", "");
    return true;
  } catch (const Failure& failure) {
    tell("FAIL ", std::string(": ") + failure.what());
    return false;
  }
}

}  // namespace

bool passes(const Subject& subject, std::span<const Check> checks) {
  bool all = true;
  for (const Check& check : checks) all = passes(subject, check) && all;
  return all;
}

bool is_refused(const Subject& subject) {
  Session session(subject);
  const int error = session.try_open();
  if (error != -ENOSYS && error != -EPERM) return false;
  std::cout << subject.info->name << ": skipped: open() answers: " << describe_result(error)
            << std::endl;
  return true;
}

}  // namespace chronio::conformance

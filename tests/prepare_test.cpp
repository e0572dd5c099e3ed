// prepare_test.cpp: what is done to files before the first I/O.
#include "runner/prepare.hpp"

#include "jobs/parser.hpp"
#include "tests/catch.hpp"
#include "tests/temp_folder.hpp"

#include <csignal>
#include <filesystem>
#include <string>

using namespace chronio::runner;
using chronio::tests::TempFolder;

namespace {

class Nobody final : public Observer {
 public:
  [[nodiscard]] bool shows(std::uint64_t) const override { return false; }
  void progress(const Progress&) override {}
  void stalled(const Stall&) override {}
  void group_done() override {}
};

}  // namespace

TEST_CASE("prepare: a signal ends it between files that need no layout, too", "[runner]") {
  const TempFolder folder;
  const std::string text = "[a]\nrw=write\nsize=64k\nnrfiles=4\ndirectory=" + folder.path() + "\n";
  const auto parsed = chronio::jobs::parse(text, "t.fio", 1, chronio::jobs::real_world());
  Plan plan = make_plan(chronio::jobs::resolve(parsed.sections).jobs, {});
  REQUIRE(plan.targets.size() == 4);
  Signals signals;
  Nobody nobody;
  REQUIRE(std::raise(SIGINT) == 0);
  prepare_targets(plan, signals, nobody);
  CHECK(signals.count() == 1);
  CHECK(std::filesystem::is_empty(folder.path()));
}

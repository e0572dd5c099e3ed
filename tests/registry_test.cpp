// registry_test.cpp: engines by name, and every reason why a shared object is refused.
#include "engines/registry.hpp"

#include "tests/catch.hpp"

#include <array>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdlib.h>
#include <string>

namespace {

using namespace chronio;

/// A folder of its own, removed at the end.
class TempFolder {
 public:
  TempFolder() : path_((std::filesystem::temp_directory_path() / "registry.XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("mkdtemp: " + path_);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  TempFolder(TempFolder&&) = delete;
  TempFolder& operator=(TempFolder&&) = delete;
  ~TempFolder() { std::filesystem::remove_all(path_); }

  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ + "/" + name) << text;
    return path_ + "/" + name;
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// What find_engine(name) complains about; empty when it does not.
std::string complaint(const std::string& name) {
  try {
    static_cast<void>(find_engine(name));
    return "";
  } catch (const EngineError& error) {
    return error.what();
  }
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

OptionDecl number_option() {
  return {"depth", OptionType::number, OptionUnit::none, 1, 8, nullptr, "4", "a number"};
}

/// An engine that can be used, with one option, for tests to spoil.
struct Sample {
  OptionDecl options[2] = {number_option(), number_option()};
  EngineInfo info = good_info(options);

  static EngineInfo good_info(const OptionDecl* options) {
    EngineInfo info = find_engine("null");
    info.options = options;
    info.option_count = 1;
    return info;
  }
};

}  // namespace

TEST_CASE("registry: each built-in engine is usable and found under its name", "[engines]") {
  std::set<std::string> names;
  for (const EngineInfo* info : builtin_engines()) {
    CAPTURE(info->name);
    CHECK(incompatible(*info).empty());
    CHECK(&find_engine(info->name) == info);
    CHECK(names.insert(info->name).second);
  }
  CHECK(names.contains("null"));
  CHECK(names.contains("sync"));
  CHECK(names.contains("psync"));
}

TEST_CASE("registry: an unknown name is refused with the names that there are", "[engines]") {
  const std::string why = complaint("psink");
  CHECK(contains(why, "ioengine=psink"));
  for (const EngineInfo* info : builtin_engines()) CHECK(contains(why, info->name));
  CHECK(contains(why, "external:PATH"));
  CHECK_FALSE(complaint("").empty());
  CHECK_FALSE(complaint("nul").empty());
  CHECK_FALSE(complaint("NULL").empty());
}

TEST_CASE("registry: a path that leads to no file is refused with the system's reason",
          "[engines]") {
  CHECK(contains(complaint("external:"), "a path is missing"));
  CHECK(contains(complaint("external:/no/such/engine.so"), "No such file or directory"));
  CHECK(contains(complaint("external:/dev/null"), "not a regular file"));
  const TempFolder folder;
  CHECK(contains(complaint("external:" + folder.path()), "not a regular file"));
  CHECK(contains(complaint("external:" + folder.write("file", "x") + "/x.so"), "Not a directory"));
}

TEST_CASE("registry: a name without a slash is a file of this folder, never a library",
          "[engines]") {
  CHECK(contains(complaint("external:libc.so.6"), "No such file or directory"));
}

TEST_CASE("registry: a file that is no shared object is refused with the loader's reason",
          "[engines]") {
  const TempFolder folder;
  CHECK(contains(complaint("external:" + folder.write("text.so", "hello\n")), "can't be loaded"));
  CHECK(contains(complaint("external:" + folder.write("empty.so", "")), "can't be loaded"));
  CHECK(contains(complaint("external:" + folder.write("cut.so", "\177ELF\2\1\1")),
                 "can't be loaded"));
}

TEST_CASE("registry: a shared object without the symbol is refused as no engine", "[engines]") {
  Dl_info library{};
  // The C library: by a function that no sanitizer puts itself before.
  REQUIRE(dladdr(dlsym(RTLD_DEFAULT, "gnu_get_libc_version"), &library) != 0);
  REQUIRE(std::filesystem::is_regular_file(library.dli_fname));
  CHECK(contains(complaint(std::string("external:") + library.dli_fname),
                 "exports no symbol chronio_engine"));
}

TEST_CASE("registry: a sample with nothing wrong is compatible", "[engines]") {
  CHECK(incompatible(Sample().info).empty());
}

TEST_CASE("registry: another major or a newer minor version is refused", "[engines]") {
  Sample sample;
  sample.info.api_major = kEngineApiMajor + 1;
  sample.info.size = 24;  // its size may differ: the version is what is told
  CHECK(contains(incompatible(sample.info), "another major version"));
  CHECK(contains(incompatible(sample.info),
                 std::to_string(kEngineApiMajor + 1) + "." + std::to_string(kEngineApiMinor)));

  sample = Sample();
  sample.info.api_minor = kEngineApiMinor + 1;
  CHECK(contains(incompatible(sample.info), "newer than this program's"));
}

TEST_CASE("registry: sizes below the first version's or above ours are refused", "[engines]") {
  using Spoil = void (*)(EngineInfo&, int);
  constexpr std::array<std::pair<const char*, Spoil>, 3> kSizes{{
      {"EngineInfo has", [](EngineInfo& info, int by) { info.size += static_cast<unsigned>(by); }},
      {"Io has", [](EngineInfo& info, int by) { info.io_size += static_cast<unsigned>(by); }},
      {"OptionDecl has",
       [](EngineInfo& info, int by) { info.option_size += static_cast<unsigned>(by); }},
  }};
  for (const auto& [what, spoil] : kSizes) {
    for (const int by : {-8, 8}) {
      Sample sample;
      spoil(sample.info, by);
      CAPTURE(what, by, incompatible(sample.info));
      CHECK(contains(incompatible(sample.info), what));
    }
  }
  Sample sample;
  sample.info.size = 0;
  CHECK(contains(incompatible(sample.info), "EngineInfo has 0 bytes"));
}

TEST_CASE("registry: a null or empty member is refused by its name", "[engines]") {
  Sample sample;
  sample.info.name = nullptr;
  CHECK(contains(incompatible(sample.info), "no name"));
  sample.info.name = "";
  CHECK(contains(incompatible(sample.info), "no name"));

  sample = Sample();
  sample.info.help = nullptr;
  CHECK(contains(incompatible(sample.info), "no help"));
  sample = Sample();
  sample.info.create = nullptr;
  CHECK(contains(incompatible(sample.info), "no create()"));
  sample = Sample();
  sample.info.destroy = nullptr;
  CHECK(contains(incompatible(sample.info), "no destroy()"));
  sample = Sample();
  sample.info.options = nullptr;
  CHECK(contains(incompatible(sample.info), "options is null"));
  sample.info.option_count = 0;
  CHECK(incompatible(sample.info).empty());
}

namespace {

/// Why an engine with `option` as its only one is refused.
std::string complaint_about(const OptionDecl& option) {
  EngineInfo info = Sample().info;
  info.options = &option;
  info.option_count = 1;
  return incompatible(info);
}

}  // namespace

TEST_CASE("registry: an option without name, help, known type or unit is refused", "[engines]") {
  OptionDecl option = number_option();
  option.name = nullptr;
  CHECK(contains(complaint_about(option), "option number 1 has no name"));
  option = number_option();
  option.help = nullptr;
  CHECK(contains(complaint_about(option), "option depth has no help"));
  option = number_option();
  option.type = static_cast<OptionType>(77);
  CHECK(contains(complaint_about(option), "unknown type 77"));
  option = number_option();
  option.unit = static_cast<OptionUnit>(77);
  CHECK(contains(complaint_about(option), "unknown unit 77"));
}

TEST_CASE("registry: an option declared twice is refused", "[engines]") {
  Sample sample;
  sample.info.option_count = 2;
  CHECK(contains(incompatible(sample.info), "option depth is declared twice"));
  sample.options[1].name = "width";
  CHECK(incompatible({sample.info}).empty());
}

TEST_CASE("registry: a fallback that is no value of its option is refused", "[engines]") {
  OptionDecl option = number_option();
  for (const char* wrong : {"0", "9", "4k", "", " 4", "4.0", "99999999999999999999"}) {
    CAPTURE(wrong);
    option.fallback = wrong;
    CHECK(contains(complaint_about(option), "no whole number from 1 to 8"));
  }
  option.fallback = nullptr;
  CHECK(contains(complaint_about(option), "no fallback"));
  option = number_option();
  option.minimum = 9;
  CHECK(contains(complaint_about(option), "minimum above its maximum"));

  option.type = OptionType::flag;
  option.fallback = "yes";
  CHECK(contains(complaint_about(option), "neither 0 nor 1"));
  option.fallback = "1";
  CHECK(complaint_about(option).empty());

  option.type = OptionType::text;
  option.fallback = "";
  CHECK(complaint_about(option).empty());
}

TEST_CASE("registry: a choice needs choices, with its fallback among them", "[engines]") {
  constexpr std::array<const char*, 3> kChoices{"near", "far", nullptr};
  constexpr std::array<const char*, 1> kNoChoices{nullptr};
  OptionDecl option{"how", OptionType::choice, OptionUnit::none, 0, 0, kChoices.data(),
                    "far", "a choice"};
  CHECK(complaint_about(option).empty());
  option.fallback = "middle";
  CHECK(contains(complaint_about(option), "'middle', which is none of its choices"));
  option.choices = kNoChoices.data();
  CHECK(contains(complaint_about(option), "has no choices"));
  option.choices = nullptr;
  CHECK(contains(complaint_about(option), "has no choices"));
}

TEST_CASE("registry: options are walked by the size that the engine tells", "[engines]") {
  struct Longer {
    OptionDecl option = number_option();
    std::uint64_t of_a_later_version = 0;
  };
  std::array<Longer, 2> longer{};
  longer[1].option.name = "width";
  EngineInfo info = Sample().info;
  info.options = &longer[0].option;
  info.option_count = 2;
  info.option_size = sizeof(Longer);
  CHECK(std::string(engine_option(info, 1).name) == "width");
  CHECK(contains(incompatible(info), "OptionDecl has"));  // as of now nothing longer is known
}

TEST_CASE("registry: an engine that makes no object is refused", "[engines]") {
  Sample sample;
  sample.info.create = []() -> Engine* { return nullptr; };
  CHECK_THROWS_AS(EngineHandle(sample.info), EngineError);
  CHECK(EngineHandle(find_engine("null")));
  CHECK_FALSE(EngineHandle());
}

TEST_CASE("registry: a result is told by errno's text or the device's status", "[engines]") {
  CHECK(describe_result(-EIO) == "Input/output error");
  CHECK(describe_result(-EOPNOTSUPP) == "Operation not supported");
  CHECK(describe_result(-4000) == "error 4000");
  CHECK(describe_result(-kDeviceStatus - 0x281) == "device status 0x281 (unrecovered read error)");
  CHECK(describe_result(-kDeviceStatus - 0x80) == "device status 0x80 (LBA out of range)");
  CHECK(describe_result(-kDeviceStatus - 0x7fe) == "device status 0x7fe");
  CHECK(describe_result(-kDeviceStatus) == "device status 0x0");
}

TEST_CASE("registry: the words for a device's status heed its code, not its other bits",
          "[engines]") {
  constexpr std::int64_t kDoNotRetry = 0x4000;
  CHECK(describe_result(-kDeviceStatus - (kDoNotRetry | 0x286)) ==
        "device status 0x4286 (access denied)");
}

TEST_CASE("registry: no result, however odd, is without words", "[engines]") {
  for (const std::int64_t result :
       {std::int64_t{-1}, std::int64_t{-4095}, std::int64_t{-4097},
        std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::min() + 1}) {
    CAPTURE(result);
    CHECK_FALSE(describe_result(result).empty());
  }
}

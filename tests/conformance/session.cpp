// session.cpp: scratch files, buffers and options of a tested engine.
#include "tests/conformance/session.hpp"

#include <array>
#include <charconv>
#include <fcntl.h>
#include <filesystem>
#include <mutex>
#include <string_view>
#include <unistd.h>

namespace chronio::conformance {
namespace {

constexpr std::uint32_t kAlign = 4096;

std::int64_t index_of(const OptionDecl& option, std::string_view text) {
  for (std::int64_t i = 0; option.choices[i] != nullptr; ++i) {
    if (text == option.choices[i]) return i;
  }
  throw std::invalid_argument(std::string(option.name) + ": no such choice: " + std::string(text));
}

std::int64_t number_of(const OptionDecl& option, std::string_view text) {
  if (option.type == OptionType::text) return 0;
  if (option.type == OptionType::choice) return index_of(option, text);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < option.minimum ||
      number > option.maximum) {
    throw std::invalid_argument(std::string(option.name) +
                                ": no number in its range: " + std::string(text));
  }
  return number;
}

/// The value in "name=value" when that is the option's name.
const char* value_for(const OptionDecl& option, const char* setting) {
  const std::string_view name = option.name;
  const std::string_view text = setting;
  const bool matches = text.starts_with(name) && text.substr(name.size()).starts_with('=');
  return matches ? setting + name.size() + 1 : nullptr;
}

/// Lets what is never freed stay in reach of the leak checker. Any thread.
void keep(const void* memory) {
  static std::mutex mutex;
  static auto& kept = *new std::vector<const void*>;
  const std::lock_guard lock(mutex);
  kept.push_back(memory);
}

}  // namespace

void expect(bool holds, const char* message) {
  if (!holds) throw Failure(message);
}

void expect(bool holds, const std::string& message) {
  if (!holds) throw Failure(message);
}

std::vector<OptionValue> option_values(const EngineInfo& info,
                                       std::span<const char* const> settings) {
  std::vector<OptionValue> values;
  std::size_t used = 0;
  for (std::uint32_t i = 0; i < info.option_count; ++i) {
    const OptionDecl& option = engine_option(info, i);
    const char* text = option.fallback;
    for (const char* setting : settings) {
      const char* value = value_for(option, setting);
      if (value != nullptr) text = value;
      used += value != nullptr ? 1 : 0;
    }
    values.push_back({option.name, text, number_of(option, text)});
  }
  if (used != settings.size()) {
    throw std::invalid_argument(std::string(info.name) + ": some setting is no option of it");
  }
  return values;
}

Session::Session(const Subject& subject, const Shape& shape, std::optional<int> fd)
    : subject_(subject), shape_(shape), ios_(shape.iodepth), engine_(*subject.info) {
  const std::size_t bytes = std::size_t{shape.iodepth} * shape.block;
  buffers_.reset(static_cast<std::byte*>(std::aligned_alloc(kAlign, (bytes | (kAlign - 1)) + 1)));
  make_scratch();
  const bool wants_fd = !subject.has(kOpensFiles) && !subject.has(kDiskless);
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    files_.push_back({paths_[i].c_str(), std::uint64_t{shape.block} * shape.blocks,
                      wants_fd ? fd.value_or(fds_[i]) : -1, shape.access, shape.direct,
                      shape.laid_out, shape.advice});
  }
  for (std::uint32_t slot = 0; slot < shape.iodepth; ++slot) {
    Io& io = ios_[slot];
    io.index = slot;
    io.buf = buffers_.get() + std::size_t{slot} * shape.block;
    io.len = shape.block;
  }
}

Session::~Session() {
  close();
  for (const int fd : fds_) ::close(fd);
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void Session::make_scratch() {
  folder_ = (std::filesystem::temp_directory_path() / "engine_conformance.XXXXXX").string();
  if (mkdtemp(folder_.data()) == nullptr) throw std::runtime_error("mkdtemp: " + folder_);
  for (std::uint32_t i = 0; i < shape_.files; ++i) {
    paths_.push_back(folder_ + "/scratch" + std::to_string(i));
    if (!subject_.has(kMakesFiles)) fds_.push_back(make_file(paths_.back()));
  }
}

int Session::make_file(const std::string& path) const {
  const int direct = shape_.direct ? O_DIRECT : 0;
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | direct, 0600);
  const auto bytes = off_t{shape_.block} * off_t{shape_.blocks};
  if (fd < 0 || ftruncate(fd, bytes) != 0) {
    throw std::runtime_error("can't make the scratch file " + path);
  }
  return fd;
}

Setup Session::setup() const {
  Setup setup{};
  setup.size = sizeof(Setup);
  setup.iodepth = shape_.iodepth;
  setup.buf_align = std::min(kAlign, shape_.block);
  setup.buf_stride = shape_.block;
  setup.buffers = buffers_.get();
  setup.files = files_.data();
  setup.file_count = shape_.files;
  setup.file_size = sizeof(File);
  setup.options = subject_.options.data();
  setup.option_count = static_cast<std::uint32_t>(subject_.options.size());
  setup.value_size = sizeof(OptionValue);
  return setup;
}

int Session::try_open() {
  const int error = engine_->open(setup());
  is_open_ = error == 0;
  return error;
}

void Session::open() {
  const int error = try_open();
  expect(error <= 0, "open() answers " + std::to_string(error) + ", neither 0 nor -errno");
  expect(error == 0, "open() fails: " + (error < 0 ? describe_result(error) : ""));
}

void Session::close() noexcept {
  if (is_open_) engine_->close();
  is_open_ = false;
}

void Session::abandon() noexcept {
  is_open_ = false;
  keep(engine_.operator->());
  keep(buffers_.release());
  engine_.abandon();
}

}  // namespace chronio::conformance

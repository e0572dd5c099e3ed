// strict_json.hpp: a JSON reader for tests that takes nothing which another reader might not.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace chronio::tests {

/// Throws on anything that is no JSON, on a key that an object has twice, on numbers that are not
/// finite: readers differ in what they make of these. Keeps no tree.
class StrictHandler : public nlohmann::json::json_sax_t {
 public:
  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(std::int64_t /*value*/) override { return true; }
  bool number_unsigned(std::uint64_t /*value*/) override { return true; }
  bool number_float(double value, const std::string& text) override {
    if (!std::isfinite(value)) throw std::runtime_error("not finite: " + text);
    return true;
  }
  bool string(std::string& /*value*/) override { return true; }
  // Only binary formats have such values.
  bool binary(nlohmann::json::binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*size*/) override {
    keys_.emplace_back();
    return true;
  }
  bool key(std::string& key) override {
    if (!keys_.back().insert(key).second) throw std::runtime_error("key twice: " + key);
    return true;
  }
  bool end_object() override {
    keys_.pop_back();
    return true;
  }
  bool start_array(std::size_t /*size*/) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t /*at*/, const std::string& /*token*/,
                   const nlohmann::json::exception& error) override {
    throw std::runtime_error(error.what());
  }

 private:
  std::vector<std::set<std::string>> keys_;
};

/// The tree of `text`, read strictly. Throws std::runtime_error with what is wrong. Keys are in
/// alphabetical order, not in that of the text.
inline nlohmann::json strict_json(const std::string& text) {
  StrictHandler handler;
  nlohmann::json::sax_parse(text, &handler);
  return nlohmann::json::parse(text);
}

}  // namespace chronio::tests

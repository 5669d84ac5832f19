#include "portatune/io/text/json_tree.h"

#include <nlohmann/json.hpp>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "portatune/error.h"

namespace portatune::io {
namespace {

using Json = nlohmann::ordered_json;

// Builds the tree from parser events. nlohmann's own builder has no depth limit, keeps the last of two equal keys, and
// searches all keys for each new key.
class TreeBuilder final : public nlohmann::json_sax<Json> {
 public:
  TreeBuilder(const std::string& where, int max_depth) : where_(where), max_depth_(max_depth) {}

  Json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(int64_t value) override { return add(value); }
  bool number_unsigned(uint64_t value) override { return add(value); }
  bool number_float(double value, const std::string&) override { return add(value); }
  bool string(std::string& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }  // not in JSON text

  bool start_object(size_t) override { return open(Json::object()); }
  bool start_array(size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(std::string& name) override {
    Level& level = levels_.back();
    if (!level.keys.insert(name).second) fail("the key '" + name + "' twice", "each key once in an object");
    level.key = std::move(name);
    return true;
  }

  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception& error) override {
    // Drops the useless prefix of "[json.exception.parse_error.101] parse error at line 1, column 5: ...".
    const std::string_view text = error.what();
    fail(std::string(text.substr(text.find("] ") + 2)), "JSON");
  }

 private:
  struct Level {
    Json* value;
    std::string key;
    std::unordered_set<std::string> keys;
  };

  [[noreturn]] void fail(std::string given, std::string expected) const {
    throw CheckpointError({.where = where_, .given = std::move(given), .expected = std::move(expected)});
  }

  // Adds a value to the open list or object. Its address is stable while it is open, because its parent grows only
  // later.
  Json& place(Json value) {
    if (levels_.empty()) return root_ = std::move(value);
    Level& level = levels_.back();
    if (level.value->is_array()) return level.value->get_ref<Json::array_t&>().emplace_back(std::move(value));
    auto& members = static_cast<std::vector<Json::object_t::value_type>&>(level.value->get_ref<Json::object_t&>());
    return members.emplace_back(std::move(level.key), std::move(value)).second;
  }

  bool add(Json value) {
    if (levels_.empty()) fail("a JSON text that is not an object", "an object: { ... }");
    place(std::move(value));
    return true;
  }

  bool open(Json value) {
    if (levels_.empty() && !value.is_object()) fail("a JSON text that is not an object", "an object: { ... }");
    if (static_cast<int>(levels_.size()) == max_depth_) {
      fail("objects and arrays nested deeper than " + std::to_string(max_depth_), "at most that many levels");
    }
    levels_.push_back({&place(std::move(value)), {}, {}});
    return true;
  }

  bool close() {
    levels_.pop_back();
    return true;
  }

  const std::string& where_;
  const int max_depth_;
  Json root_;
  std::vector<Level> levels_;
};

}  // namespace

Json parse_json_object(std::string_view text, const std::string& where, const JsonLimits& limits) {
  if (static_cast<int64_t>(text.size()) > limits.bytes) {
    throw CheckpointError({.where = where,
                           .given = std::to_string(text.size()) + " bytes of JSON",
                           .expected = "at most " + std::to_string(limits.bytes) + " bytes"});
  }
  TreeBuilder builder(where, limits.depth);
  Json::sax_parse(text, &builder);
  return builder.take();
}

}  // namespace portatune::io

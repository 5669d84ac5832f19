#include "portatune/text/read/json.h"

#include "portatune/base/text/message.h"
#include "portatune/error.h"
#include "portatune/text/read/file.h"

namespace portatune::text {
namespace {

constexpr size_t kMaxDepth = 64;
constexpr size_t kShown = 60;  // bytes of an invalid value in an error

std::string shown(simdjson::dom::element value) { return shortened(simdjson::minify(value), kShown); }

}  // namespace

void Json::fail(const std::string& expected) const {
  throw CheckpointError({.where = *file_, .given = path_ + " = " + shown(value_), .expected = expected});
}

Json Json::member(std::string_view key, simdjson::dom::element value) const {
  return {*file_, path_.empty() ? std::string(key) : path_ + "." + std::string(key), value};
}

std::optional<Json> Json::find(std::string_view key) const {
  simdjson::dom::element value;
  if (object().at_key(key).get(value) != simdjson::SUCCESS || value.is_null()) return std::nullopt;
  return member(key, value);
}

Json Json::at(std::string_view key) const {
  const auto value = find(key);
  if (value) return *value;
  throw CheckpointError({.where = *file_,
                         .given = (path_.empty() ? "an object" : path_) + " without \"" + std::string(key) + "\"",
                         .expected = "that field, not null"});
}

template <class T>
T Json::as(const char* expected) const {
  T result;
  if (value_.get(result) != simdjson::SUCCESS) fail(expected);
  return result;
}

std::string_view Json::string() const { return as<std::string_view>("a string"); }
bool Json::boolean() const { return as<bool>("true or false"); }
simdjson::dom::object Json::object() const { return as<simdjson::dom::object>("an object"); }
simdjson::dom::array Json::array() const { return as<simdjson::dom::array>("a list"); }

double Json::number() const { return as<double>("a number"); }

int64_t Json::integer(int64_t minimum, int64_t maximum) const {
  int64_t result = 0;
  if (value_.get(result) != simdjson::SUCCESS || result < minimum || result > maximum) {
    fail("an integer from " + std::to_string(minimum) + " to " + std::to_string(maximum));
  }
  return result;
}

bool Json::boolean_or(std::string_view key, bool fallback) const {
  const auto value = find(key);
  return value ? value->boolean() : fallback;
}

std::string_view Json::string_or(std::string_view key, std::string_view fallback) const {
  const auto value = find(key);
  return value ? value->string() : fallback;
}

int64_t Json::integer_or(std::string_view key, int64_t fallback, int64_t minimum, int64_t maximum) const {
  const auto value = find(key);
  return value ? value->integer(minimum, maximum) : fallback;
}

JsonFile::JsonFile(const std::filesystem::path& file) : JsonFile(read_file(file), file.string()) {}

JsonFile::JsonFile(const std::string& text, std::string name) : name_(std::move(name)) {
  simdjson::dom::element root;
  simdjson::error_code error = parser_.allocate(text.size() + 1, kMaxDepth);
  if (error == simdjson::SUCCESS) error = parser_.parse(text).get(root);
  if (error != simdjson::SUCCESS) {
    throw CheckpointError({.where = name_, .given = simdjson::error_message(error), .expected = "JSON"});
  }
  root_.emplace(name_, "", root);
}

}  // namespace portatune::text

#include "portatune/io/text/json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "portatune/base/text/message.h"
#include "portatune/error.h"
#include "portatune/io/file/file.h"
#include "portatune/io/text/json_tree.h"
#include "portatune/option_fields.h"

namespace portatune::io {
namespace {

using Json = nlohmann::ordered_json;

struct Document {
  Json root;
  std::string where;
  std::set<std::string> read;     // requested keys with their prefixes
  std::set<std::string> entered;  // objects whose keys are read one by one
};

// A value with its key and document.
struct Value {
  const Json* json = nullptr;  // null if the key is absent
  const Document* document = nullptr;
  std::string key;

  explicit operator bool() const { return json != nullptr; }
};

[[noreturn]] void fail(const Value& value, std::string given, std::string expected) {
  throw CheckpointError(
      {.where = value.document->where + ": " + value.key, .given = std::move(given), .expected = std::move(expected)});
}

std::string shown(const Json& json) { return shortened(json.dump(), 80); }

template <class T>
std::string range_text(const char* kind, T least, T most) {
  const bool has_least = least > std::numeric_limits<T>::lowest() && least > -std::numeric_limits<double>::infinity();
  const bool has_most = most < std::numeric_limits<T>::max();
  std::string text = kind;
  if (has_least) text += " of at least " + Json(least).dump();
  if (has_most) text += std::string(has_least ? " and" : " of") + " at most " + Json(most).dump();
  return text;
}

int64_t as_int(const Value& value, IntRange range) {
  const Json& json = *value.json;
  const bool fits = json.is_number_integer() &&
                    (!json.is_number_unsigned() || json.get<uint64_t>() <= std::numeric_limits<int64_t>::max());
  const int64_t number = fits ? json.get<int64_t>() : 0;
  if (!fits || number < range.least || number > range.most) {
    fail(value, shown(json), range_text("an integer", range.least, range.most));
  }
  return number;
}

double as_float(const Value& value, FloatRange range) {
  const double number = value.json->is_number() ? value.json->get<double>() : range.least;
  if (!value.json->is_number() || number < range.least || number > range.most) {
    fail(value, shown(*value.json), range_text("a number", range.least, range.most));
  }
  return number;
}

bool as_bool(const Value& value) {
  if (!value.json->is_boolean()) fail(value, shown(*value.json), "true or false");
  return value.json->get<bool>();
}

std::string as_string(const Value& value) {
  if (!value.json->is_string()) fail(value, shown(*value.json), "a string");
  return value.json->get<std::string>();
}

// Applies convert(element) to each element of a list; returns an empty list if the value is absent.
template <class Convert>
auto convert_list(const Value& list, Convert convert) {
  std::vector<decltype(convert(list))> converted;
  if (!list) return converted;
  if (!list.json->is_array()) fail(list, shown(*list.json), "a list");
  for (size_t i = 0; i < list.json->size(); ++i) {
    converted.push_back(convert({&(*list.json)[i], list.document, list.key + "[" + std::to_string(i) + "]"}));
  }
  return converted;
}

// The text of a value for an option. The elements of a list are separated by commas.
std::string text_of_option(const Value& value) {
  if (value.json->is_string()) return value.json->get<std::string>();
  if (value.json->is_number_float()) return to_text(value.json->get<double>());
  if (!value.json->is_array()) return value.json->dump();
  std::string text;
  for (const std::string& element : convert_list(value, text_of_option)) text += (text.empty() ? "" : ",") + element;
  return text;
}

bool is_word_of(const OptionField& field, const std::string& text) {
  const std::vector<std::string> words = field.choice_words();
  return words.empty() ? field.is_readable(text) : std::ranges::find(words, text) != words.end();
}

std::string expected_of(const OptionField& field) {
  if (!field.rules.choices.empty()) return "one of " + list_of(field.main_words());
  return field.expected.empty() ? "a number" : field.expected;
}

template <class Convert>
auto convert_map(const Value& map, Convert convert) {
  std::map<std::string, decltype(convert(map))> converted;
  if (!map) return converted;
  if (!map.json->is_object()) fail(map, shown(*map.json), "an object");
  for (const auto& [name, json] : map.json->items()) {
    converted.emplace(name, convert({&json, map.document, map.key + "." + name}));
  }
  return converted;
}

}  // namespace

struct JsonObject::State {
  std::shared_ptr<Document> document;
  const Json* node;
  std::string prefix;  // prefix of keys in a nested object: "rope_scaling."

  // The value of a key, which is marked as read.
  Value find(std::string_view key) const {
    Value value{nullptr, document.get(), prefix + std::string(key)};
    document->read.insert(value.key);
    const auto found = node->find(key);
    if (found != node->end() && !found->is_null()) value.json = &*found;
    return value;
  }

  Value require(std::string_view key) const {
    Value value = find(key);
    if (!value) fail(value, "no such key", "a value");
    return value;
  }

  JsonObject enter(const Value& value) const {
    if (!value.json->is_object()) fail(value, shown(*value.json), "an object");
    document->entered.insert(value.key);
    return JsonObject(std::make_shared<State>(State{document, value.json, value.key + "."}));
  }
};

std::string json_text(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }
std::string line_of(const Json& object) { return json_text(object) + "\n"; }
std::string indented_text(const Json& value) {
  return value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

JsonObject::JsonObject(std::shared_ptr<const State> state) : state_(std::move(state)) {}

JsonObject JsonObject::parse(std::string_view text, std::string where) {
  auto document = std::make_shared<Document>();
  document->root = parse_json_object(text, where);
  document->where = std::move(where);
  const Json* const root = &document->root;
  return JsonObject(std::make_shared<State>(State{std::move(document), root, {}}));
}

JsonObject JsonObject::read(const std::filesystem::path& file) {
  return parse(read_text(file, JsonLimits().bytes), file.string());
}

bool JsonObject::has(std::string_view key) const { return static_cast<bool>(state_->find(key)); }

int64_t JsonObject::get_int(std::string_view key, IntRange range) const { return as_int(state_->require(key), range); }
int64_t JsonObject::get_int_or(std::string_view key, int64_t fallback, IntRange range) const {
  const Value value = state_->find(key);
  return value ? as_int(value, range) : fallback;
}

double JsonObject::get_float(std::string_view key, FloatRange range) const {
  return as_float(state_->require(key), range);
}
double JsonObject::get_float_or(std::string_view key, double fallback, FloatRange range) const {
  const Value value = state_->find(key);
  return value ? as_float(value, range) : fallback;
}

bool JsonObject::get_bool(std::string_view key) const { return as_bool(state_->require(key)); }
bool JsonObject::get_bool_or(std::string_view key, bool fallback) const {
  const Value value = state_->find(key);
  return value ? as_bool(value) : fallback;
}

std::string JsonObject::get_string(std::string_view key) const { return as_string(state_->require(key)); }
std::string JsonObject::get_string_or(std::string_view key, std::string_view fallback) const {
  const Value value = state_->find(key);
  return value ? as_string(value) : std::string(fallback);
}

std::vector<int64_t> JsonObject::get_ints(std::string_view key, IntRange range) const {
  return convert_list(state_->find(key), [&](const Value& value) { return as_int(value, range); });
}
std::vector<double> JsonObject::get_floats(std::string_view key, FloatRange range) const {
  return convert_list(state_->find(key), [&](const Value& value) { return as_float(value, range); });
}
std::vector<std::string> JsonObject::get_strings(std::string_view key) const {
  return convert_list(state_->find(key), as_string);
}
std::map<std::string, std::string> JsonObject::get_string_map(std::string_view key) const {
  return convert_map(state_->find(key), as_string);
}

bool JsonObject::get_option(const OptionField& field) const {
  const Value value = state_->find(field.name);
  if (!value) return false;
  const bool is_list = field.kind == OptionKind::kTexts && value.json->is_array();
  const std::vector<std::string> texts =
      is_list ? convert_list(value, text_of_option) : std::vector{text_of_option(value)};
  for (const std::string& text : texts) {
    if (!is_word_of(field, text)) fail(value, shown(*value.json), expected_of(field));
  }
  field.read(texts);
  return true;
}

std::optional<JsonObject> JsonObject::get_object(std::string_view key) const {
  const Value value = state_->find(key);
  if (!value) return std::nullopt;
  return state_->enter(value);
}
std::vector<JsonObject> JsonObject::get_objects(std::string_view key) const {
  return convert_list(state_->find(key), [&](const Value& value) { return state_->enter(value); });
}

std::string_view JsonObject::type_of(std::string_view key) const {
  const auto found = state_->node->find(key);
  return found == state_->node->end() ? std::string_view() : found->type_name();
}

void JsonObject::ignore(std::initializer_list<std::string_view> keys) const {
  for (const std::string_view key : keys) state_->find(key);
}

std::vector<std::string> JsonObject::unread_keys() const {
  std::vector<std::string> unread;
  for (const auto& [name, json] : state_->node->items()) {
    const std::string key = state_->prefix + name;
    if (!state_->document->read.contains(key)) {
      unread.push_back(key);
    } else if (state_->document->entered.contains(key)) {
      const std::vector<std::string> inner = state_->enter({&json, state_->document.get(), key}).unread_keys();
      unread.insert(unread.end(), inner.begin(), inner.end());
    }
  }
  return unread;
}

}  // namespace portatune::io

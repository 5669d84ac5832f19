#include "portatune/io/text/jsonl.h"

#include <simdjson.h>

#include <algorithm>
#include <utility>

#include "portatune/base/text/message.h"
#include "portatune/io/text/bad_record.h"

namespace portatune::io {
namespace {

namespace ondemand = simdjson::ondemand;

constexpr std::string_view kWhitespace = " \t\r\n";
constexpr const char* kExpected = "a JSON object on each line";
constexpr size_t kExcerpt = 40;  // maximal bytes of a bad line in an error

std::string_view trim_end(std::string_view text) { return text.substr(0, text.find_last_not_of(kWhitespace) + 1); }

// Returns whether a token is a JSON number. simdjson's own check also converts the number and so rejects integers of
// more than 64 bits, which are valid as text.
bool is_number(std::string_view token) {
  size_t at = 0;
  const auto accept = [&](std::string_view any) {
    const bool found = at < token.size() && any.find(token[at]) != std::string_view::npos;
    at += found;
    return found;
  };
  const auto digits = [&] {
    const size_t begin = at;
    while (accept("0123456789")) continue;
    return at > begin;
  };
  accept("-");
  if (!accept("0") && !digits()) return false;
  if (accept(".") && !digits()) return false;
  if (accept("eE")) {
    accept("+-");
    if (!digits()) return false;
  }
  return at == token.size();
}

// The text of a value, as JsonlReader documents it.
std::string_view text_of(ondemand::value value, std::string_view key, const std::string& where) {
  const ondemand::json_type type = value.type();
  if (type == ondemand::json_type::string) return value.get_string();
  if (type == ondemand::json_type::array) return trim_end(value.get_array().value().raw_json());
  if (type == ondemand::json_type::object) return trim_end(value.get_object().value().raw_json());
  const std::string_view token = trim_end(value.raw_json_token());
  const bool is_plain = token == "true" || token == "false" || token == "null" || is_number(token);
  if (!is_plain) {
    throw BadRecordError({.where = where,
                          .given = in_quotes(token, kExcerpt) + " as value of key " + in_quotes(key),
                          .expected = "a string, a number, a list, an object, true, false or null"});
  }
  return token == "null" ? std::string_view() : token;
}

}  // namespace

struct JsonlReader::Parser {
  ondemand::parser parser;
};

JsonlReader::JsonlReader(std::string path, std::vector<std::string> columns, int64_t max_line_bytes)
    : lines_(std::move(path), max_line_bytes, kExpected),
      columns_(std::move(columns)),
      parser_(std::make_unique<Parser>()) {}

JsonlReader::~JsonlReader() = default;

bool JsonlReader::next() {
  while (lines_.next()) {
    const std::span<char> text = lines_.text();
    const size_t length = trim_end({text.data(), text.size()}).size();
    if (length == 0) continue;
    read_object(text.first(length));
    return true;
  }
  return false;
}

void JsonlReader::read_object(std::span<char> text) {
  fields_.clear();
  keys_.clear();
  const std::string_view line(text.data(), text.size());
  if (const size_t first = line.find_first_not_of(kWhitespace); line[first] != '{') {
    throw BadRecordError({.where = lines_.where(),
                          .given = in_quotes(line.substr(first), kExcerpt),
                          .expected = kExpected,
                          .fix = line[first] == '[' ? "if the file is a JSON list, write one item per line: "
                                                      "jq -c '.[]' data.json > data.jsonl"
                                                    : ""});
  }
  try {
    ondemand::document document =
        parser_->parser.iterate(simdjson::padded_string_view(line, line.size() + TextFile::kPadding));
    // The field is a simdjson_result, because a plain field's unescaped_key() needs an argument in some versions of
    // simdjson.
    for (simdjson::simdjson_result<ondemand::field> field : document.get_object()) {
      const std::string_view key = field.unescaped_key();
      keys_.push_back(key);
      require_few_keys();
      if (wants(key)) fields_.push_back({key, text_of(field.value(), key, lines_.where())});
    }
    // simdjson returns OUT_OF_BOUNDS at the end of the document.
    if (document.current_location().error() != simdjson::OUT_OF_BOUNDS) {
      throw simdjson::simdjson_error(simdjson::TRAILING_CONTENT);
    }
  } catch (const simdjson::simdjson_error& error) {
    throw BadRecordError({.where = lines_.where(),
                          .given = in_quotes(line, kExcerpt) + " (" + simdjson::error_message(error.error()) + ")",
                          .expected = kExpected});
  }
  require_distinct_keys();
}

bool JsonlReader::wants(std::string_view key) const {
  return columns_.empty() || std::find(columns_.begin(), columns_.end(), key) != columns_.end();
}

void JsonlReader::require_few_keys() const {
  if (keys_.size() <= kMaxKeys) return;
  throw BadRecordError({.where = lines_.where(),
                        .given = "more than " + counted(kMaxKeys, "key") + " in an object",
                        .expected = "fewer keys",
                        .fix = "write values that belong together into a list"});
}

void JsonlReader::require_distinct_keys() {
  std::sort(keys_.begin(), keys_.end());
  const auto doubled = std::adjacent_find(keys_.begin(), keys_.end());
  if (doubled == keys_.end()) return;
  throw BadRecordError(
      {.where = lines_.where(), .given = "key " + in_quotes(*doubled) + " twice", .expected = "each key once"});
}

}  // namespace portatune::io

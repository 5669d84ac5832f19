#include "portatune/text/read/components.h"

#include "portatune/error.h"

namespace portatune::text {

std::string_view type_of(const Json& component) { return component.at("type").string(); }

void throw_unknown(const Json& component, const std::string& kind, const std::string& known) {
  throw CheckpointError({.where = component.file(),
                         .given = kind + " \"" + std::string(type_of(component)) + "\" at " + component.path(),
                         .expected = known + ": Portatune supports no other " + kind + " yet"});
}

PatternPtr read_pattern(const Json& json) {
  if (const auto text = json.find("String")) {
    if (text->string().empty()) text->fail("a string that is not empty");
    return literal_pattern(std::string(text->string()));
  }
  const Json regex = json.at("Regex");
  try {
    return regex_pattern(std::string(regex.string()));
  } catch (const UsageError& error) {
    throw CheckpointError({.where = json.file() + ", " + regex.path(),
                           .given = "a regular expression with " + error.report().given,
                           .expected = error.report().expected});
  }
}

Vocabulary read_vocabulary(const Json& json) {
  const simdjson::dom::object tokens = json.object();
  // The parser's own count stops at 2^24 - 1, beyond the limit here.
  if (static_cast<int64_t>(tokens.size()) > kMaxTokens) {
    throw CheckpointError({.where = json.file(),
                           .given = "more than " + std::to_string(kMaxTokens) + " tokens in " + json.path(),
                           .expected = "a smaller vocabulary"});
  }
  Vocabulary vocabulary;
  vocabulary.reserve(tokens.size(), 8 * tokens.size());
  for (const auto [token, id] : tokens) {
    const Json field = json.member(token.substr(0, 60), id);
    if (static_cast<int64_t>(token.size()) > kMaxTokenBytes) field.fail("a token of at most 65536 bytes");
    vocabulary.add(token, static_cast<int32_t>(field.integer(0, kMaxId)));
  }
  return vocabulary;
}

}  // namespace portatune::text

// Files of tests/data/tokenizer, made by tests/oracle/text/make_tokenizer_goldens.py.
#pragma once

#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "portatune/text/unicode/utf8.h"

namespace portatune::text {

inline nlohmann::json golden(const std::string& name) {
  return nlohmann::json::parse(std::ifstream(std::string(PORTATUNE_TEST_DATA "/tokenizer/") + name));
}

/// The tokenizer.json of one of the small tokenizers of components.json.
inline nlohmann::json small_tokenizer_json(const nlohmann::json& components, const std::string& name) {
  const nlohmann::json& changes = components["tokenizers"][name];
  nlohmann::json json = components["plain"];
  for (const auto& [key, value] : changes.items()) json[key] = value;
  json["model"] = components["models"][changes["model"].get<size_t>()];
  return json;
}

/// FNV-1a digests of function(code point), one for each `block` of code points, without surrogates.
inline std::vector<std::string> digests(char32_t block, const std::function<std::string(char32_t)>& function) {
  std::vector<std::string> result;
  for (char32_t first = 0; first < 0x110000; first += block) {
    uint64_t hash = 0xCBF29CE484222325;
    for (char32_t c = first; c < first + block; ++c) {
      if (c >= 0xD800 && c < 0xE000) continue;
      for (const char byte : function(c) + '\xff') hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001B3;
    }
    char digits[17];
    std::snprintf(digits, sizeof(digits), "%016llx", static_cast<unsigned long long>(hash));
    result.emplace_back(digits);
  }
  return result;
}

inline std::string utf8(char32_t c) {
  std::string text;
  append_utf8(c, text);
  return text;
}

}  // namespace portatune::text

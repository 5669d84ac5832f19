// Folders of tokenizers of several languages, made by tests/oracle/text/make_language_goldens.py.
#pragma once

#include <filesystem>
#include <vector>

#include "io/temporary_folder.h"
#include "text/golden.h"

namespace portatune::text {

struct LanguageCase {
  nlohmann::json tokenizer, config;
  nlohmann::json
      runs;  ///< languages, and for each text the ids as a source and as a target, and the text of the latter

  void write(const std::filesystem::path& folder) const {
    write_text(folder / "tokenizer.json", tokenizer.dump());
    write_text(folder / "tokenizer_config.json", config.dump());
  }
};

/// MBartTokenizer, MBart50Tokenizer, and NllbTokenizer with the language at the beginning and at the end.
inline std::vector<LanguageCase> language_cases() {
  const nlohmann::json golden = text::golden("languages.json");
  std::vector<LanguageCase> cases;
  for (const nlohmann::json& row : golden["cases"]) {
    cases.push_back({.tokenizer = row["tokenizer_json"], .config = row["tokenizer_config"], .runs = row["runs"]});
  }
  return cases;
}

}  // namespace portatune::text

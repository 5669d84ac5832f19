// Folders of MarianTokenizer, made by tests/oracle/text/make_marian_goldens.py.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "io/temporary_folder.h"
#include "portatune/text/read/base64.h"
#include "text/golden.h"

namespace portatune::text {

struct MarianCase {
  std::map<std::string, std::string> files;
  nlohmann::json config;
  nlohmann::json results;  ///< for each text the ids as a source and as a target, and the text of the latter, twice

  void write(const std::filesystem::path& folder) const {
    for (const auto& [name, bytes] : files) write_text(folder / name, bytes);
    write_text(folder / "tokenizer_config.json", config.dump());
  }
};

/// One vocabulary for both sides, and one for each.
inline std::vector<MarianCase> marian_cases() {
  const nlohmann::json golden = text::golden("marian.json");
  std::vector<MarianCase> cases;
  for (const nlohmann::json& row : golden["cases"]) {
    MarianCase c{.files = row[0], .config = row[1], .results = row[2]};
    for (const auto& [name, text] : golden["files"].items()) c.files[name] = *from_base64(text.get<std::string>());
    cases.push_back(std::move(c));
  }
  return cases;
}

inline std::vector<std::string> marian_texts() { return text::golden("marian.json")["texts"]; }

}  // namespace portatune::text

// Model folders with weights and a tokenizer.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "io/temporary_folder.h"

namespace portatune::test {

/// Makes `folder` the model of a parity case with the tokenizer of tests/data/tiny_bert.
/// config  keys of config.json with other values
inline void write_case_with_tokenizer(const std::filesystem::path& folder, const std::string& name,
                                      const nlohmann::json& config = nlohmann::json::object()) {
  const std::filesystem::path data = PORTATUNE_TEST_DATA, model = data / "models" / name;
  std::filesystem::create_directories(folder);
  for (const char* file : {"tokenizer.json", "tokenizer_config.json", "vocab.txt"}) {
    std::filesystem::copy_file(data / "tiny_bert" / file, folder / file);
  }
  std::filesystem::copy_file(model / "model.safetensors", folder / "model.safetensors");
  auto changed = nlohmann::json::parse(text_of(model / "config.json"));
  changed.update(config);
  write_text(folder / "config.json", changed.dump());
}

}  // namespace portatune::test

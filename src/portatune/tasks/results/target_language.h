// The language in which a model of several languages writes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "portatune/generation.h"
#include "portatune/text.h"

namespace portatune::tasks {

/// The tokens with which the decoder begins a text of a language; neither without a language, and for a tokenizer that
/// adds no token for it.
struct TargetLanguage {
  /// The language, if it ends each target (mBART): training shifts it to the front.
  std::optional<int32_t> decoder_start_token_id = {};
  /// The language, if it begins each target (mBART-50).
  std::optional<int32_t> forced_bos_token_id = {};

  explicit operator bool() const { return decoder_start_token_id || forced_bos_token_id; }
};

/// language  one of the tokenizer's special tokens, or empty
TargetLanguage target_language(const text::Tokenizer& targets, const std::string& language);

/// Makes generated texts begin with the language, and with no token of another one.
void set_language(const TargetLanguage& language, GenerationOptions& options);

/// Writes both languages into the files of a saved model: to tokenizer_config.json and, for the texts of generate(), to
/// config.json and generation_config.json.
void save_languages(const std::filesystem::path& folder, const text::Languages& languages,
                    const TargetLanguage& language);

/// Writes the language of a CTC model into tokenizer_config.json of a saved model.
void save_language(const std::filesystem::path& folder, const std::string& language);

}  // namespace portatune::tasks

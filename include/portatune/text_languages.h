// Tokenizers of several languages, which add a token for the language to every text: mBART's `text </s> en_XX`, and the
// `en_XX text </s>` of mBART-50 and NLLB.
#pragma once

#include <filesystem>
#include <string>

#include "portatune/text.h"

namespace portatune::text {

/// The languages of a translation, as special tokens of the tokenizer: "en_XX". Empty: that of the tokenizer's files.
struct Languages {
  std::string source, target;
};

/// Tokenizer::load() with languages that replace src_lang and tgt_lang of tokenizer_config.json. They have no effect on
/// a tokenizer that adds no token for the language.
/// errors  those of Tokenizer::load(); UsageError for a language that the tokenizer does not have
Tokenizer load_tokenizer(const std::filesystem::path& folder, const Languages& languages);

}  // namespace portatune::text

// What the files of a tokenizer say, before it is built.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "portune/text/added_tokens.h"
#include "portune/text/model/wordpiece.h"
#include "portune/text/normalize/bert.h"
#include "portune/text/postprocess/template.h"

namespace portune::text {

struct TokenizerSpec {
  std::string where;  ///< the file, for errors
  BertNormalizerOptions normalizer;
  WordPieceOptions model;
  Vocabulary vocabulary;
  std::vector<AddedToken> added_tokens;  ///< ids are not yet set
  Template post_processor;
};

/// tokenizer_config.json; defaults are those of transformers' BertTokenizer.
struct TokenizerConfig {
  std::string pad_token = "[PAD]", unk_token = "[UNK]", cls_token = "[CLS]", sep_token = "[SEP]", mask_token = "[MASK]";
  std::vector<AddedToken> added_tokens;  ///< "added_tokens_decoder" and "additional_special_tokens"
  std::optional<int64_t> model_max_length;
  // For vocab.txt only; tokenizer.json has its own:
  bool do_lower_case = true, tokenize_chinese_chars = true;
  std::optional<bool> strip_accents;
};

// Bounds on what a file may ask for.
constexpr int64_t kMaxFileBytes = 64 << 20;
constexpr int64_t kMaxTokens = 4'000'000;
constexpr int64_t kMaxTokenBytes = 64 << 10;

/// errors of all three: CheckpointError for what the file should not say; NotFoundError, IoError
TokenizerSpec read_tokenizer_json(const std::filesystem::path& file);
TokenizerSpec read_vocab_txt(const std::filesystem::path& file, const TokenizerConfig& config);
/// The defaults if there is no such file.
TokenizerConfig read_tokenizer_config(const std::filesystem::path& file);

}  // namespace portune::text

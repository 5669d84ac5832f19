// What the files of a tokenizer say, before it is put together.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "portatune/text/added_tokens.h"
#include "portatune/text/decode/decoder.h"
#include "portatune/text/model/model.h"
#include "portatune/text/normalize/normalizer.h"
#include "portatune/text/postprocess/post_processor.h"
#include "portatune/text/pretokenize/pre_tokenizer.h"

namespace portatune::text {

struct TokenizerSpec {
  NormalizerPtr normalizer;  ///< null: none; so for the others but the model
  PreTokenizerPtr pre_tokenizer;
  ModelPtr model;
  PostProcessor post_processor;
  DecoderPtr decoder;
  std::vector<AddedToken> added_tokens;  ///< ids are not yet set
};

/// tokenizer_config.json, with the special tokens of special_tokens_map.json where it does not name them.
struct TokenizerConfig {
  std::string tokenizer_class;  ///< "RobertaTokenizer", without "Fast"; empty if not said
  std::optional<AddedToken> bos_token, eos_token, unk_token, sep_token, pad_token, cls_token, mask_token;
  std::vector<AddedToken> added_tokens;  ///< "added_tokens_decoder" and "additional_special_tokens"
  std::optional<int64_t> model_max_length;
  bool clean_up_tokenization_spaces = false;
  // For the older files only; tokenizer.json has its own:
  bool do_lower_case = true, tokenize_chinese_chars = true;
  std::optional<bool> strip_accents, add_prefix_space, trim_offsets, add_bos_token, add_eos_token;
  bool keep_accents = false, legacy = false;
  int64_t extra_ids = 100;  ///< of T5
};

// Bounds on what a file may ask for.
constexpr int64_t kMaxFileBytes = 64 << 20;
constexpr int64_t kMaxTokens = 4'000'000;
constexpr int64_t kMaxTokenBytes = 64 << 10;
constexpr int64_t kMaxId = 4 * kMaxTokens;

// errors of all: CheckpointError for what the file should not say; NotFoundError, IoError
TokenizerSpec read_tokenizer_json(const std::filesystem::path& file);
TokenizerSpec read_vocab_txt(const std::filesystem::path& file, const TokenizerConfig& config);
/// vocab.json and merges.txt.
TokenizerSpec read_vocab_and_merges(const std::filesystem::path& folder, const TokenizerConfig& config);
/// spiece.model and the like.
TokenizerSpec read_sentencepiece(const std::filesystem::path& file, const TokenizerConfig& config);
/// The defaults if there are no such files.
TokenizerConfig read_tokenizer_config(const std::filesystem::path& folder);

/// The tokens that transformers adds to a tokenizer of the older files, in its order.
std::vector<AddedToken> tokens_to_add(const TokenizerConfig& config);

}  // namespace portatune::text

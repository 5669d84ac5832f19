// The content of a tokenizer's files, before the tokenizer is built.
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
  NormalizerPtr normalizer;  ///< null: none; likewise for all others but the model
  PreTokenizerPtr pre_tokenizer;
  ModelPtr model;
  PostProcessor post_processor;
  DecoderPtr decoder;
  std::vector<AddedToken> added_tokens;  ///< without ids
};

/// The content of tokenizer_config.json. special_tokens_map.json provides special tokens that it does not name.
struct TokenizerConfig {
  std::string tokenizer_class;  ///< "RobertaTokenizer", without "Fast"; empty: unknown
  std::optional<AddedToken> bos_token, eos_token, unk_token, sep_token, pad_token, cls_token, mask_token;
  std::vector<AddedToken> added_tokens;  ///< "added_tokens_decoder" and "additional_special_tokens"
  std::string src_lang, tgt_lang;        ///< languages of sources and targets; empty: that of the template, src_lang
  std::optional<int64_t> model_max_length;
  bool clean_up_tokenization_spaces = false;
  // These fields apply to the older files only; tokenizer.json has its own.
  bool tokenize_chinese_chars = true, split_by_punct = false;
  std::optional<bool> do_lower_case;  ///< by default as the class has it
  std::optional<bool> strip_accents, add_prefix_space, trim_offsets, add_bos_token, add_eos_token;
  bool keep_accents = false, legacy = false;
  int64_t extra_ids = 100;       ///< for T5
  bool separate_vocabs = false;  ///< for Marian: sources and targets have ids of their own
};

// Limits for the content of a file.
constexpr int64_t kMaxFileBytes = 64 << 20;
constexpr int64_t kMaxTokens = 4'000'000;
constexpr int64_t kMaxTokenBytes = 64 << 10;
constexpr int64_t kMaxId = 4 * kMaxTokens;

// Readers of tokenizers.
// errors    CheckpointError for invalid content; NotFoundError, IoError
TokenizerSpec read_tokenizer_json(const std::filesystem::path& file);
TokenizerSpec read_vocab_txt(const std::filesystem::path& file, const TokenizerConfig& config);
/// Reads vocab.json and merges.txt.
TokenizerSpec read_vocab_and_merges(const std::filesystem::path& folder, const TokenizerConfig& config);
/// Reads spiece.model and similar files.
TokenizerSpec read_sentencepiece(const std::filesystem::path& file, const TokenizerConfig& config);
/// Reads the config; the defaults if there are no such files.
TokenizerConfig read_tokenizer_config(const std::filesystem::path& folder);

/// The tokens that transformers adds to a tokenizer of the older files, in its order.
std::vector<AddedToken> tokens_to_add(const TokenizerConfig& config);

}  // namespace portatune::text

// Options and prompt indices as inputs of the programs. This file defines their layout for host and program.
#pragma once

#include <optional>
#include <vector>

#include "portatune/generation.h"
#include "portatune/graph.h"

namespace portatune::generate {

/// Maximal number of eos tokens.
inline constexpr int64_t kMaxEosTokens = 16;

/// The options that are compiled into the programs. All other options are inputs.
struct SearchKind {
  bool penalises = false;  ///< there is a penalty for earlier tokens
  bool samples = false;
  bool keeps_top_k = false, keeps_top_p = false;
  int64_t beams = 1;
  int64_t eos_tokens = 1;     ///< for beam search: maximal number of eos tokens, at least 1
  bool bans_ngrams = false;   ///< n-grams must not repeat
  bool restricts = false;     ///< there is a minimal length, or a forced or suppressed token
  int64_t bad_words = 0;      ///< rows of the table of bad words
  int64_t bad_word_size = 0;  ///< its columns: tokens of the longest bad word
  std::optional<TimeTokens> times = {};
  bool scores = false;  ///< texts have the log-probabilities of their new tokens

  bool operator==(const SearchKind&) const = default;
};

/// The kind of search that the options select. The sizes of the table of bad words are powers of two.
SearchKind kind_of(const GenerationOptions& options);

/// Tokens that are forced or excluded at some positions.
struct Restrictions {
  /// Positions, int32 [prompts]; -1: none.
  Value eos_from;    ///< the first position for eos tokens
  Value forced_bos;  ///< position of the forced first token
  Value forced_eos;  ///< position of the forced last token
  Value begin;       ///< position at which `begin_suppressed` are excluded
  /// Sets of tokens, bool [1, vocab].
  Value eos, bos_tokens, eos_tokens, suppressed, begin_suppressed;
};

/// The settings as values in a program.
struct Settings {
  Value temperature;                                ///< float32 scalar, or [prompts, 1]
  Value top_p, repetition_penalty, length_penalty;  ///< float32 scalars
  Value pause;                                      ///< int32: end position of this call
  Value first;                                      ///< int32: position of the first new token
  Value top_k, pad_token_id;                        ///< int32 scalars
  Value early_stopping;                             ///< int32: the enumerator
  Value ngram_size;                                 ///< int32 scalar: no_repeat_ngram_size
  Value start;                                      ///< int32 scalar: decoder_start_token_id
  Value eos_token_id;                               ///< int32 [kMaxEosTokens], -1: none
  Value key;                                        ///< uint32 [2]
  Value bad_words;            ///< int32 [bad_words, bad_word_size], -1 before each word; absent without bad words
  Restrictions restrictions;  ///< absent if the kind of search does not restrict
  Value end;                  ///< int32 [prompts]: end position of the text
  Value numbers;              ///< uint32 [prompts]: indices among all prompts
};

/// The parameters of a program for the settings.
Values settings_parameters(const SearchKind& kind, int64_t prompts, int64_t vocab_size);
/// The settings that these parameters hold.
Settings settings_of(const SearchKind& kind, const Values& parameters);

/// Facts about a call of a program.
struct CallFacts {
  int64_t first, pause;  ///< as in Settings
  int32_t pad_token_id, start;
  int64_t vocab_size;
  Tensor limits;   ///< limits_of() of each prompt, int32 [prompts, kLimits]
  Tensor numbers;  ///< Settings::numbers
};
/// The arguments for settings_parameters(). Only the last kPromptArguments have elements for each prompt.
std::vector<Tensor> settings_arguments(const SearchKind& kind, const GenerationOptions& options,
                                       const CallFacts& facts);
inline constexpr size_t kPromptArguments = 2;

/// Number of positions that limits_of() returns.
inline constexpr int64_t kLimits = 5;
/// The positions in the text of a prompt, in this order: end, then those of Restrictions.
/// prompt  number of tokens of the text before the first new token; 0 for a row that only fills the batch
/// first   position of the first new token
std::vector<int32_t> limits_of(const GenerationOptions& options, int64_t prompt, int64_t first);

}  // namespace portatune::generate

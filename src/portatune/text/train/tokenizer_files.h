// The files of a trained tokenizer, in the form of `tokenizers` and transformers.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "portatune/text.h"
#include "portatune/text/train/learn_merges.h"
#include "portatune/text/train/learn_pieces.h"

namespace portatune::text {

using OrderedJson = nlohmann::ordered_json;

/// The stages before the model, as components of tokenizer.json; null: none.
OrderedJson normalizer_of(const TokenizerTrainingOptions& options);
OrderedJson pre_tokenizer_of(const TokenizerTrainingOptions& options);

// All files of a tokenizer of each kind. options.special_tokens must be set.
TokenizerFiles tokenizer_files(const TokenizerTrainingOptions& options, const LearnedMerges& learned);
TokenizerFiles tokenizer_files(const TokenizerTrainingOptions& options, std::span<const ScoredPiece> pieces);

}  // namespace portatune::text

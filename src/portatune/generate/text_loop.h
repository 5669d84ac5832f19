// Generation as a graph: the first token after the prompts, and the loop that makes the others.
#pragma once

#include "portatune/generate/token_model.h"

namespace portatune::generate {

/// Texts while they grow.
struct GrowingTexts {
  State state;
  Values context;  ///< TokenModel::prompt_context(): the loop reads it and does not carry it along
};

/// Logits after the first tokens of the texts, float32 [prompts, vocab].
/// start  Settings::start; absent for sources that are encoded already
Value logits_of_first(const TokenModel& model, const nn::Scope& root, const Prompts& prompts, const Value& start);

/// Reads the prompts and adds the first token. Compute type and mesh are those of `root`.
/// length  positions of each text
GrowingTexts begin_texts(const TokenModel& model, const nn::Scope& root, const SearchKind& kind, const Prompts& prompts,
                         int64_t length, const Settings& settings);

/// Adds tokens up to position settings.pause, or until all texts on all devices have ended.
State add_tokens(const TokenModel& model, const nn::Scope& root, const SearchKind& kind, const GrowingTexts& texts,
                 const Settings& settings);

}  // namespace portatune::generate

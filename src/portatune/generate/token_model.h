// A model as generation sees it: prompts in, logits of next tokens out.
#pragma once

#include <memory>

#include "portatune/generate/search/search.h"
#include "portatune/nn.h"

namespace portatune::generate {

/// The prompts of a program: texts, or sources that are encoded already.
struct Prompts {
  Value ids = {};  ///< int32 [prompts, prompt]; only of texts
  Value padding =
      {};  ///< int32 [prompts]: positions of padding; all positions in rows that only fill the batch; of texts
  models::EncodedSource source = {};  ///< of [prompts, source]; absent: texts

  int64_t count() const { return (ids ? ids : source.x).shape()[0]; }
};

/// The texts before their first new tokens.
struct FirstTokens {
  Value ids;  ///< int32 [prompts, first]
  /// int32 [prompts]: positions of padding before each text; `first` in rows that only fill the batch
  Value padding;
};

/// A decoder, which continues its prompts, or an encoder-decoder model, whose prompts are source texts and whose
/// decoder begins texts of its own. The functions build a graph.
class TokenModel {
 public:
  virtual ~TokenModel() = default;

  /// True if texts continue their prompts, which are then padded on the left, else on the right.
  virtual bool continues_prompts() const = 0;
  /// Maximal number of tokens of a prompt, and of a text with its first tokens.
  virtual int64_t max_prompt() const = 0;
  virtual int64_t max_text() const = 0;

  /// The first token of texts that continue no prompts, unless the options have another one.
  virtual int32_t start_token() const = 0;

  /// start  int32 scalar: Settings::start
  virtual FirstTokens first_tokens(const Prompts& prompts, const Value& start) const = 0;
  /// An empty cache with the keys and values of all heads.
  virtual models::KeyValueCache empty_cache(int64_t prompts, int64_t length, DType dtype) const = 0;
  /// What later tokens read of the prompts beside the state; empty for a decoder. It does not change.
  virtual Values prompt_context(const nn::Scope& root, const Prompts& prompts) const = 0;
  /// Logits after the first tokens, float32 [prompts, vocab]. Adds these tokens to the cache.
  virtual Value first_logits(const nn::Scope& root, const FirstTokens& tokens, models::KeyValueCache& cache,
                             const Values& context) const = 0;
  /// Logits after the last token of each text, float32 [rows, vocab]. Adds this token to the cache of the state.
  virtual Value next_logits(const nn::Scope& root, State& state, const Values& context) const = 0;
};

/// model   must outlive the result
/// errors  UsageError for a model that does not generate
std::unique_ptr<TokenModel> token_model(const models::TextModel& model);
/// An encoder-decoder model whose prompts are sources that are encoded already.
/// first  tokens with which the texts begin, at least one each; absent padding: none
std::unique_ptr<TokenModel> token_model_of_sources(const models::TextModel& model, const FirstTokens& first);

}  // namespace portatune::generate

// The last layer of language models: logits over the vocabulary.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "portatune/nn.h"

namespace portatune::models {

struct LmDecoder {
  std::string embeddings;  ///< path of the word embeddings, [vocab_size, width]
  bool tied;               ///< whether they are also the weight of this layer ("tie_word_embeddings")
  int64_t vocab_size;
  std::optional<nn::Initializer> initializer = {};  ///< of a weight that is not tied; by default normal
  double softcap = 0;                               ///< bound c of the logits, which become c tanh(logits / c); 0: none
};
/// x W^T + b. If tied, the weight is that of the embeddings and b is "bias"; else they are "decoder.weight" and
/// "decoder.bias", and "bias" is a buffer without effect, which transformers saves. A checkpoint may hold b under
/// either name, because older versions of transformers tie the two.
/// x  [..., width]; returns float32 [..., vocab_size]
Value lm_decoder(const nn::Scope& s, const Value& x, const LmDecoder& decoder);

/// x W^T + b, for layers with other names: "weight", which may be tied to the embeddings, and "bias" of s.
Value lm_projection(const nn::Scope& s, const Value& x, const LmDecoder& decoder);

/// The weight of such a layer: "weight" of s, split by nn::vocabulary_split().
Value vocabulary_weight(const nn::Scope& s, int64_t width, const LmDecoder& decoder);
/// x W^T + b in float32 over the whole vocabulary, gathered from devices that have parts of W and b.
Value lm_logits(const nn::Scope& s, const Value& x, const Value& weight, const LmDecoder& decoder,
                const Value& bias = {});

}  // namespace portatune::models

// Which tokens masked language modelling hides.
#pragma once

#include "portatune/graph.h"

namespace portatune::tasks {

struct Masking {
  double probability = 0.15;  ///< of a word to be chosen
  int32_t mask_id;
  int64_t vocab_size;  ///< random tokens are below
};

struct Masked {
  Value input_ids;  ///< int32 [batch, seq]
  Value labels;     ///< int32 [batch, seq]: the token that stood there, -100 where none was chosen
};

/// Of the words chosen 80 % become mask_id, 10 % a random token and 10 % stay. Computed where the model is, from the
/// key, the examples' seeds and the words, so that every step and example has masks of its own and none is stored.
/// input_ids  int32 [batch, seq]
/// words      int32 [batch, seq]: tokens with one number in a row are chosen together; below 0: never (padding,
///            special tokens)
/// seeds      int32 [batch], of the examples
/// key        uint32 [2]
/// source     Devlin et al. 2018, arXiv:1810.04805, section 3.1; as DataCollatorForLanguageModeling does it
Masked mask_tokens(const Value& input_ids, const Value& words, const Value& seeds, const Value& key,
                   const Masking& masking);

}  // namespace portatune::tasks

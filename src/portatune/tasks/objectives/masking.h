// Random choice of the tokens for masked language modelling.
#pragma once

#include <cstdint>
#include <filesystem>

#include "portatune/graph.h"
#include "portatune/text.h"

namespace portatune::tasks {

/// The id of the mask token.
/// model   its folder, for the error
/// errors  CheckpointError for a tokenizer without a mask token
int32_t mask_id_of(const text::Tokenizer& tokenizer, const std::filesystem::path& model);

struct Masking {
  double probability = 0.15;  ///< probability that a word is chosen
  int32_t mask_id;
  int64_t vocab_size;  ///< upper bound of random tokens
};

struct Masked {
  Value input_ids;  ///< int32 [batch, seq]
  Value labels;     ///< int32 [batch, seq]: the original token if it was chosen, otherwise -100
};

/// Of the chosen words 80 % become mask_id, 10 % a random token and 10 % stay. The device computes masks from the key,
/// the examples' seeds and the words, so that every step and example has its own masks and none is stored.
/// input_ids  int32 [batch, seq]
/// words      int32 [batch, seq]: neighbours with the same number are chosen together; below 0: never (padding,
///            special tokens)
/// seeds      int32 [batch], seeds of the examples
/// key        uint32 [2]
/// source     Devlin et al. 2018, arXiv:1810.04805, section 3.1; as in DataCollatorForLanguageModeling
Masked mask_tokens(const Value& input_ids, const Value& words, const Value& seeds, const Value& key,
                   const Masking& masking);

}  // namespace portatune::tasks

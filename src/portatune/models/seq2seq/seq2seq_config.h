// Fields of config.json that encoder-decoder models share.
#pragma once

#include "portatune/models.h"
#include "portatune/models/config_reader.h"

namespace portatune::models {

/// Reads the ids of special tokens, whose defaults are those of `facts`. Ignores what does not affect the computation:
/// settings of generation, which older checkpoints have in config.json.
/// vocab_size         number of ids of the encoder
/// target_vocab_size  number of ids of the decoder
Seq2SeqFacts seq2seq_facts(const ConfigReader& config, Seq2SeqFacts facts, int64_t vocab_size,
                           int64_t target_vocab_size);

}  // namespace portatune::models

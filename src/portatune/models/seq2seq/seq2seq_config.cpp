#include "portatune/models/seq2seq/seq2seq_config.h"

#include <algorithm>

namespace portatune::models {

Seq2SeqFacts seq2seq_facts(const ConfigReader& config, Seq2SeqFacts facts, int64_t vocab_size,
                           int64_t target_vocab_size) {
  config.ignore({"bad_words_ids", "do_sample", "early_stopping", "forced_bos_token_id", "forced_eos_token_id",
                 "is_decoder", "is_encoder_decoder", "length_penalty", "max_length", "min_length",
                 "no_repeat_ngram_size", "num_beams", "num_return_sequences", "prefix", "task_specific_params"});
  const io::IntRange of_both{0, std::min(vocab_size, target_vocab_size) - 1};
  config.read("pad_token_id", facts.pad_token_id, of_both);
  config.read("eos_token_id", facts.eos_token_id, of_both);
  config.read("decoder_start_token_id", facts.decoder_start_token_id, {0, target_vocab_size - 1});
  facts.target_vocab_size = target_vocab_size;
  return facts;
}

}  // namespace portatune::models

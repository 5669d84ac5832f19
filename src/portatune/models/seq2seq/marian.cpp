#include "portatune/models/architectures.h"
#include "portatune/models/seq2seq/bart_family.h"

namespace portatune::models {

// Files of models with one vocabulary may have its size twice.
std::unique_ptr<TextModel> marian(const io::JsonObject& object) {
  const ConfigReader config(object);
  config.ignore({"decoder_vocab_size"});
  BartConfig c{.class_prefix = "Marian",
               .norms_embeddings = false,
               .has_sinusoids = true,
               .vocab_size = 58101,
               .facts = {.pad_token_id = 58100,
                         .eos_token_id = 0,
                         .decoder_start_token_id = 58100,
                         .max_target = 0,
                         .lm_class = "MarianMTModel"}};
  config.read("share_encoder_decoder_embeddings", c.shares_embeddings);
  config.read("tie_word_embeddings", c.ties_output);
  return bart_model(bart_config(config, c));
}

}  // namespace portatune::models

#include "portatune/models/architectures.h"
#include "portatune/models/seq2seq/bart_family.h"

namespace portatune::models {

std::unique_ptr<TextModel> pegasus(const io::JsonObject& config) {
  return bart_model(bart_config(
      config, {.class_prefix = "Pegasus",
               .norms_inputs = true,
               .norms_embeddings = false,
               .has_sinusoids = true,
               .facts = {.pad_token_id = 0, .eos_token_id = 1, .decoder_start_token_id = 0, .max_target = 0}}));
}

}  // namespace portatune::models

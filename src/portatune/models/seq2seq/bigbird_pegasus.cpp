#include "portatune/models/architectures.h"
#include "portatune/models/seq2seq/bart_family.h"

namespace portatune::models {
namespace {

// The fields without those of attention by blocks.
BartConfig defaults() {
  return {.class_prefix = "BigBirdPegasus",
          .norms_inputs = true,
          .norms_embeddings = false,
          .position_offset = 0,
          .final_norm = "layernorm_embedding",
          .vocab_size = 96103,
          .max_position_embeddings = 4096,
          .encoder = {.layers = 16},
          .decoder = {.layers = 16},
          .activation_function = "gelu_new",
          .scale_embedding = true,
          .attention_bias = false,
          .facts = {.pad_token_id = 0, .eos_token_id = 1, .decoder_start_token_id = 2, .max_target = 0}};
}

}  // namespace

std::unique_ptr<TextModel> bigbird_pegasus(const io::JsonObject& config) {
  const ConfigReader reader(config);
  BartConfig c = bart_config(reader, defaults());
  reader.read("use_bias", c.attention_bias);
  if (!c.has_encoder) c.ties_output = false;
  c.block_attention = block_attention_fields(reader, c.max_position_embeddings);
  return bart_model(c, bart_classification_heads(c));
}

}  // namespace portatune::models

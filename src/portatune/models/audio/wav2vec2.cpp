#include "portatune/models/architectures.h"
#include "portatune/models/audio/wav2vec2_family.h"

namespace portatune::models {

std::unique_ptr<AudioModel> wav2vec2(const io::JsonObject& object) {
  const ConfigReader config(object);
  if (config.get_bool_or("add_adapter", false)) refuse_layer("add_adapter", "true");
  if (config.has("adapter_attn_dim")) refuse_layer("adapter_attn_dim", "adapters of languages");
  config.ignore({"adapter_kernel_size", "adapter_stride", "num_adapter_layers", "output_hidden_size"});
  return wav2vec2_family(config, {.class_prefix = "Wav2Vec2", .base_prefix = "wav2vec2", .has_further_heads = true});
}

}  // namespace portatune::models

#include "portatune/models/architectures.h"
#include "portatune/models/audio/wav2vec2_family.h"

namespace portatune::models {

std::unique_ptr<AudioModel> hubert(const io::JsonObject& object) {
  const ConfigReader config(object);
  if (config.get_bool_or("conv_pos_batch_norm", false)) refuse_layer("conv_pos_batch_norm", "true");
  return wav2vec2_family(config, {.class_prefix = "Hubert",
                                  .base_prefix = "hubert",
                                  .normalizes_frames = config.get_bool_or("feat_proj_layer_norm", true)});
}

}  // namespace portatune::models

#include "portatune/models/architectures.h"
#include "portatune/models/audio/wav2vec2_family.h"

namespace portatune::models {

std::unique_ptr<AudioModel> wav2vec2(const io::JsonObject& object) {
  const ConfigReader config(object);
  return wav2vec2_family(config, {.class_prefix = "Wav2Vec2",
                                  .base_prefix = "wav2vec2",
                                  .has_further_heads = true,
                                  .adapter = adapter_fields(config)});
}

}  // namespace portatune::models

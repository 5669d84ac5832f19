#include "portatune/models/architectures.h"
#include "portatune/models/seq2seq/bart_family.h"

namespace portatune::models {

std::unique_ptr<TextModel> bart(const io::JsonObject& config) {
  const BartConfig c = bart_config(config, {.class_prefix = "Bart"});
  return bart_model(c, bart_classification_heads(c));
}

}  // namespace portatune::models

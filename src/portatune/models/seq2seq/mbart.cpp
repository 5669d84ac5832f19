#include "portatune/models/architectures.h"
#include "portatune/models/seq2seq/bart_family.h"

namespace portatune::models {

std::unique_ptr<TextModel> mbart(const io::JsonObject& config) {
  const BartConfig c =
      bart_config(config, {.class_prefix = "MBart", .norms_inputs = true, .starts_with_last_label = true});
  return bart_model(c, bart_classification_heads(c));
}

}  // namespace portatune::models

#include "portatune/error.h"
#include "portatune/models.h"

namespace portatune::models {

DistilledLogits ImageModel::distilled_logits(const nn::Scope&, const Value&, int64_t) const {
  throw UsageError({.where = "the head of the model",
                    .given = "image classification with a teacher for a " + facts_.class_prefix + " checkpoint",
                    .expected = "a head of this architecture in transformers"});
}

}  // namespace portatune::models

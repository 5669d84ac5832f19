#include "portatune/models/heads.h"

#include "portatune/ops.h"

namespace portatune::models {

using nn::Scope;

Value logits(const Scope& s, const Value& x, int64_t size, const nn::LinearOptions& options) {
  return convert(linear(s, x, size, options), DType::kFloat32);
}

Value classifier(const Scope& root, const Value& x, int64_t num_labels, double rate) {
  const Scope s = root / "classifier";
  return logits(s, dropout(s, x, rate), num_labels);
}

Head token_classification(double rate) {
  return [rate](const Scope& root, const HeadInputs& in) { return classifier(root, in.x, in.num_labels, rate); };
}

Head question_answering(double rate) {
  return [rate](const Scope& root, const HeadInputs& in) {
    const Scope s = root / "qa_outputs";
    return logits(s, dropout(s, in.x, rate), 2);
  };
}

}  // namespace portatune::models

#include "portatune/models/heads.h"

#include "portatune/ops.h"

namespace portatune::models {

using nn::Scope;

Value last_where(const Value& x, const Value& chosen) {
  const Shape& s = x.shape();
  const TensorType ids{DType::kInt32, {s[0], s[1]}};
  const Value last = max(select(chosen, iota(ids, 1), full(ids, 0)), {1});
  const Value first_of_row = iota({DType::kInt32, {s[0]}}, 0) * full({DType::kInt32, {}}, static_cast<double>(s[1]));
  return gather_rows(reshape(x, {s[0] * s[1], s[2]}), first_of_row + last);
}

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

#include "portatune/models/seq2seq/seq2seq_heads.h"

#include "portatune/models/heads.h"
#include "portatune/ops.h"

namespace portatune::models {

Value classification_head(const nn::Scope& root, const HeadInputs& in, int64_t eos_token_id, double rate,
                          const nn::LinearOptions& options) {
  const nn::Scope s = root / "classification_head";
  const Value eos = full(in.text.input_ids.type(), static_cast<double>(eos_token_id));
  const Value last = last_where(in.x, compare(Direction::kEqual, in.text.input_ids, eos));
  const Value h = tanh(linear(s / "dense", dropout(s, last, rate), last.shape().back(), options));
  return logits(s / "out_proj", dropout(s, h, rate), in.num_labels, options);
}

}  // namespace portatune::models

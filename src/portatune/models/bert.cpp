#include "portatune/models/architectures.h"
#include "portatune/models/bert_layers.h"
#include "portatune/models/lm_head.h"
#include "portatune/models/text_inputs.h"
#include "portatune/ops.h"

namespace portatune::models {
namespace {

using nn::Scope;

class Bert final : public TextModel {
 public:
  explicit Bert(const BertFields& c) : TextModel(bert_facts("Bert", "bert", c)), c_(c) {}

  Values hidden_states(const Scope& root, const TextInputs& in) const override {
    const Scope s = root / "bert";
    const Value x = bert_embeddings(s / "embeddings", c_, in, {positions_of(in)}, c_.hidden_size);
    return bert_layers(s / "encoder", c_, x, mask_of(in));
  }

  Value pooler_output(const Scope& root, const Value& x) const override {
    return bert_pooler(root / "bert" / "pooler", x);
  }

  Value sequence_logits(const Scope& root, const TextInputs&, const Value& x, int64_t num_labels) const override {
    return token_logits(root, pooler_output(root, x), num_labels);
  }

  Value choice_logits(const Scope& root, const TextInputs&, const Value& x) const override {
    return token_logits(root, pooler_output(root, x), 1);
  }

  Value masked_lm_logits(const Scope& root, const Value& x) const override {
    const Scope s = root / "cls" / "predictions";
    const Value dense = linear(s / "transform" / "dense", x, c_.hidden_size);
    const Value h = layer_norm(s / "transform" / "LayerNorm", nn::activate(c_.hidden_act, dense), c_.layer_norm_eps);
    return lm_decoder(s, h, {"bert.embeddings.word_embeddings.weight", c_.tie_word_embeddings, c_.vocab_size});
  }

  Value next_sentence_logits(const Scope& root, const Value& x) const override {
    return convert(linear(root / "cls" / "seq_relationship", pooler_output(root, x), 2), DType::kFloat32);
  }

 private:
  BertFields c_;
};

}  // namespace

std::unique_ptr<TextModel> bert(const io::JsonObject& config) {
  return std::make_unique<Bert>(bert_fields(config, {}));
}

}  // namespace portatune::models

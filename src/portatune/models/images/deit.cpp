#include "portatune/models/architectures.h"
#include "portatune/models/images/vit_layers.h"

namespace portatune::models {
namespace {

using nn::Scope;

// ViT with a second token, from which a teacher's predictions were learned.
class Deit final : public ImageModel {
 public:
  explicit Deit(const VitFields& c) : ImageModel(vit_facts(c, "DeiT", "deit")), c_(c) {}

  Values hidden_states(const Scope& root, const Value& pixel_values) const override {
    const Scope s = root / "deit";
    const nn::Initializer zeros{nn::Initializer::Kind::kZeros};
    const Value x = vit_embeddings(s / "embeddings", c_, pixel_values, {"cls_token", "distillation_token"}, zeros);
    return vit_layers(s / "encoder", c_, x);
  }
  Value last_hidden_state(const Scope& root, const Value& x) const override { return vit_norm(root / "deit", c_, x); }
  Value pooler_output(const Scope& root, const Value& x) const override {
    return vit_pooler(root / "deit" / "pooler", c_, last_hidden_state(root, x));
  }
  Value image_logits(const Scope& root, const Value& x, int64_t num_labels) const override {
    return token_classifier(root / "classifier", last_hidden_state(root, x), 0, num_labels);
  }
  DistilledLogits distilled_logits(const Scope& root, const Value& x, int64_t num_labels) const override {
    const Value last = last_hidden_state(root, x);
    return {token_classifier(root / "cls_classifier", last, 0, num_labels),
            token_classifier(root / "distillation_classifier", last, 1, num_labels)};
  }

 private:
  VitFields c_;
};

}  // namespace

std::unique_ptr<ImageModel> deit(const io::JsonObject& config) { return std::make_unique<Deit>(vit_fields(config)); }

}  // namespace portatune::models

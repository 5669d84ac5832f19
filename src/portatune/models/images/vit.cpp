#include "portatune/models/architectures.h"
#include "portatune/models/images/vit_layers.h"

namespace portatune::models {
namespace {

using nn::Scope;

class Vit final : public ImageModel {
 public:
  explicit Vit(const VitFields& c) : ImageModel(vit_facts(c, "ViT", "vit")), c_(c) {}

  Values hidden_states(const Scope& root, const Value& pixel_values) const override {
    const Scope s = root / "vit";
    const nn::Initializer normal{nn::Initializer::Kind::kNormal, c_.initializer_range};
    return vit_layers(s / "encoder", c_, vit_embeddings(s / "embeddings", c_, pixel_values, {"cls_token"}, normal));
  }
  Value last_hidden_state(const Scope& root, const Value& x) const override { return vit_norm(root / "vit", c_, x); }
  Value pooler_output(const Scope& root, const Value& x) const override {
    return vit_pooler(root / "vit" / "pooler", c_, last_hidden_state(root, x));
  }
  Value image_logits(const Scope& root, const Value& x, int64_t num_labels) const override {
    return token_classifier(root / "classifier", last_hidden_state(root, x), 0, num_labels);
  }

 private:
  VitFields c_;
};

}  // namespace

std::unique_ptr<ImageModel> vit(const io::JsonObject& config) { return std::make_unique<Vit>(vit_fields(config)); }

}  // namespace portatune::models

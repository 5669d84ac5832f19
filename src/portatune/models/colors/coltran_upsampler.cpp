#include "portatune/models/colors/coltran.h"
#include "portatune/ops.h"

namespace portatune::models {
namespace {

using nn::Scope;

class ColTranUpsampler final : public ColorUpsampler {
 public:
  explicit ColTranUpsampler(const ColTranConfig& c) : ColorUpsampler(c.facts()), c_(c) {}

  int64_t levels() const override { return c_.stage == ColorStage::kColorUpsampler ? kCoarseLevels : kByteLevels; }

  // Channels are pictures of their own.
  Value logits(const Scope& root, const Value& gray, const Value& channels) const override {
    const Shape shape = channels.shape();
    const Value of_channels = glorot_embedding(root / "channel_embedding", channels, 3 * levels(), c_.hidden_size);
    const Value of_gray = glorot_embedding(root / "gray_embedding", gray, kByteLevels, c_.hidden_size);
    const Value both = concatenate({of_channels, broadcast_to(expand_dims(of_gray, 1), of_channels.shape())}, -1);
    const Value x = reshape(both, {shape[0] * shape[1], shape[2], shape[3], 2 * c_.hidden_size});
    const Value input = glorot_linear(root / "input_dense", x, c_.hidden_size, true);
    const Value encoded = axial_encoder(root / "encoder", c_, input);
    const Value logits = glorot_linear(root / "final_dense", encoded, kByteLevels, true);
    return reshape(convert(logits, DType::kFloat32), {shape[0], shape[1], shape[2], shape[3], kByteLevels});
  }

 private:
  const ColTranConfig c_;
};

}  // namespace

std::unique_ptr<ColorModel> coltran_upsampler(const ColTranConfig& c) { return std::make_unique<ColTranUpsampler>(c); }

std::unique_ptr<ColorModel> coltran(const io::JsonObject& config) {
  const ColTranConfig c = coltran_config(config);
  return c.stage == ColorStage::kColorizer ? coltran_colorizer(c) : coltran_upsampler(c);
}

}  // namespace portatune::models

#include "portatune/models/colors/coltran.h"
#include "portatune/ops.h"

namespace portatune::models {
namespace {

using nn::Scope;

// x one pixel later along an axis, with zeros for the first.
Value one_pixel_later(const Value& x, int64_t axis) {
  return pad(slice(x, axis, {0, x.shape()[axis] - 1}), axis, 1, 0);
}

Value int32_scalar(int64_t value) { return full({DType::kInt32, {}}, static_cast<double>(value)); }

class ColTranColorizer final : public Colorizer {
 public:
  explicit ColTranColorizer(const ColTranConfig& c) : Colorizer(c.facts()), c_(c) {}

  ColorLogits logits(const Scope& root, const Value& gray, const Value& colors) const override {
    const Value z = encoder(root / "encoder", gray);
    const Value x = embedded(root, colors);
    const Value upper = outer_decoder(root / "outer_decoder", x, z);
    ColorLogits logits{.autoregressive = color_logits(root, inner_decoder(root, x, upper, z, z)), .parallel = {}};
    if (c_.has_parallel_head) {
      logits.parallel = convert(glorot_linear(root / "parallel_logits", z, kCoarseColors, false), DType::kFloat32);
    }
    return logits;
  }

  Value colors(const Scope& root, const Value& gray, const ChooseColor& choose) const override {
    const Value z = encoder(root / "encoder", gray);
    const Value upper = full(z.type(), 0);  // the first row has no context of earlier rows
    const auto is_within = [side = c_.downsample_res](const Values& state) {
      return compare(Direction::kLess, state[0], int32_scalar(side));
    };
    const auto next_row = [&](const Values& state) {
      const Value &row = state[0], &colors = state[1];
      const Value colored = dynamic_update_slice(colors, colors_of_row(root, row, state[2], z, choose), 1, row);
      return Values{row + int32_scalar(1), colored, outer_decoder(root / "outer_decoder", embedded(root, colored), z)};
    };
    return while_loop({int32_scalar(0), full(gray.type(), 0), upper}, is_within, next_row)[1];
  }

 private:
  // The context of the grey picture.
  Value encoder(const Scope& s, const Value& gray) const {
    const Scope embedding = s / "embedding";
    const Value rows = glorot_embedding(embedding, gray, kByteLevels, c_.hidden_size);
    const Value bias = embedding.parameter("bias", {c_.hidden_size}, {nn::Initializer::Kind::kZeros});
    return axial_encoder(s, c_, rows + convert(bias, rows.dtype()));
  }

  Value embedded(const Scope& root, const Value& colors) const {
    return glorot_embedding(root / "pixel_embedding", colors, kCoarseColors, c_.hidden_size);
  }

  // The context of all earlier rows for each pixel.
  Value outer_decoder(const Scope& s, const Value& embedded, const Value& z) const {
    const LayerContext context{.conditions = c_.conditions, .of_pixels = z, .of_picture = z};
    Value x = add_positions(s / "positions", embedded, c_.downsample_res);
    if (c_.conditions.skip) x = x + z;
    for (int64_t i = 0; i < c_.num_outer_layers; ++i) {
      const Scope layer = s / "layer" / i;
      Value y = axial_attention_block(layer / "row_attention", c_, x, Line::kRow, false, context);
      y = axial_mlp_block(layer / "row_mlp", c_, y, context);
      y = axial_attention_block(layer / "column_attention", c_, y, Line::kColumn, true, context);
      x = nn::remat(layer, x, axial_mlp_block(layer / "column_mlp", c_, y, context));
    }
    return one_pixel_later(x, 1);
  }

  // The state that predicts each pixel from the pixels before it in its row and from the contexts of all other ones.
  //   embedded, upper, z   all rows, or one
  //   picture              the context of the grey picture, all rows
  //   row                  index of the only row; absent: all rows
  Value inner_decoder(const Scope& root, const Value& embedded, const Value& upper, const Value& z,
                      const Value& picture, const Value& row = {}) const {
    const Scope s = root / "inner_decoder";
    // An average of `upper` over the picture would depend on later pixels. Norms read the grey picture alone.
    const LayerContext context{
        .conditions = c_.conditions, .of_pixels = concatenate({z, upper}, -1), .of_picture = picture};
    Value x = add_positions(s / "positions", one_pixel_later(embedded, 2), c_.downsample_res, row);
    if (c_.conditions.skip) x = x + z + upper;
    for (int64_t i = 0; i < c_.num_inner_layers; ++i) {
      const Scope layer = s / "layer" / i;
      const Value y = axial_attention_block(layer / "row_attention", c_, x, Line::kRow, true, context);
      x = nn::remat(layer, x, axial_mlp_block(layer / "mlp", c_, y, context));
    }
    return x;
  }

  Value color_logits(const Scope& root, const Value& x) const {
    const Value normalised = keras_layer_norm(root / "final_norm", x);
    return convert(glorot_linear(root / "auto_logits", normalised, kCoarseColors, true), DType::kFloat32);
  }

  // Colours the pixels of a row one after the other: int32 [batch, 1, side].
  //   upper  the context of all earlier rows
  Value colors_of_row(const Scope& root, const Value& row, const Value& upper, const Value& z,
                      const ChooseColor& choose) const {
    const int64_t batch = z.shape()[0], side = c_.downsample_res;
    const Value upper_row = dynamic_slice(upper, 1, row, 1), z_row = dynamic_slice(z, 1, row, 1);
    const auto is_within = [side](const Values& state) {
      return compare(Direction::kLess, state[0], int32_scalar(side));
    };
    const auto next_pixel = [&](const Values& state) {
      const Value &column = state[0], &colors = state[1];
      const Value x = inner_decoder(root, embedded(root, colors), upper_row, z_row, z, row);
      const Value logits = reshape(color_logits(root, dynamic_slice(x, 2, column, 1)), {batch, kCoarseColors});
      const Value color = choose(logits, row * int32_scalar(side) + column);
      return Values{column + int32_scalar(1), dynamic_update_slice(colors, reshape(color, {batch, 1, 1}), 2, column)};
    };
    return while_loop({int32_scalar(0), full({DType::kInt32, {batch, 1, side}}, 0)}, is_within, next_pixel)[1];
  }

  const ColTranConfig c_;
};

}  // namespace

std::unique_ptr<ColorModel> coltran_colorizer(const ColTranConfig& c) { return std::make_unique<ColTranColorizer>(c); }

}  // namespace portatune::models

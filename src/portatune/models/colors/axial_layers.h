// The layers of a Colorization Transformer. An array x is [batch, height, width, hidden_size].
#pragma once

#include <optional>

#include "portatune/models/colors/coltran_config.h"

namespace portatune::models {

/// The lines of pixels within which attention works.
enum class Line { kRow, kColumn };

/// A layer x W^T + b, or x W^T, with the first weights of Keras: Glorot's variance, here of normal numbers.
Value glorot_linear(const nn::Scope& s, const Value& x, int64_t size, bool bias);
/// Rows of "weight" [symbols, size], as glorot_linear() of one-hot vectors without a bias.
Value glorot_embedding(const nn::Scope& s, const Value& ids, int64_t symbols, int64_t size);
/// Layer normalisation with the epsilon of Keras.
Value keras_layer_norm(const nn::Scope& s, const Value& x);

/// x plus embeddings of the row and of the column, "row" [side, 1, hidden_size] and "column" [side, hidden_size].
/// row  index of the only row of x, an int32 scalar; absent: x has all rows
Value add_positions(const nn::Scope& s, const Value& x, int64_t side, const Value& row = {});

/// The contexts of a layer of a decoder.
struct LayerContext {
  const ColTranConditions& conditions;
  Value of_pixels;   ///< [batch, height, width, size], for attention and MLP
  Value of_picture;  ///< [batch, side, side, hidden_size], for norms, which average it
};

/// Attention within rows or columns, added to x, and a norm.
///   hides_later  whether a pixel sees no later pixels of its line
Value axial_attention_block(const nn::Scope& s, const ColTranConfig& c, const Value& x, Line line, bool hides_later,
                            const std::optional<LayerContext>& context = {});
/// Two linear layers with ReLU between them, added to x, and a norm.
Value axial_mlp_block(const nn::Scope& s, const ColTranConfig& c, const Value& x,
                      const std::optional<LayerContext>& context = {});

/// Positions and layers of attention within rows and within columns, which hide nothing: the encoder of all three
/// models.
Value axial_encoder(const nn::Scope& s, const ColTranConfig& c, const Value& x);

}  // namespace portatune::models

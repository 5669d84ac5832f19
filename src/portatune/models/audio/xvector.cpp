#include "portatune/models/audio/xvector.h"

#include "portatune/error.h"
#include "portatune/graph/checks.h"
#include "portatune/models/heads.h"
#include "portatune/nn/l2_normalize.h"
#include "portatune/ops.h"

namespace portatune::models {
namespace {

using nn::Scope;

// A smaller deviation counts as zero, since its gradient would not be finite.
constexpr double kSmallestVariance = 1e-12;
constexpr double kSmallestNorm = 1e-12;  // as in torch.nn.functional.normalize

// A layer over windows of `kernel` frames, each `dilation` frames apart.
Value tdnn_layer(const Scope& s, const Value& x, int64_t features, int64_t kernel, int64_t dilation) {
  const int64_t count = x.shape()[1] - dilation * (kernel - 1);
  require(count > 0, "tdnn", {&x, 1}, "more than " + std::to_string(dilation * (kernel - 1)) + " frames");
  Values parts;
  for (int64_t i = 0; i < kernel; ++i) parts.push_back(slice(x, 1, {i * dilation, i * dilation + count}));
  return relu(linear(s / "kernel", concatenate(parts, 2), features));
}

// The mean and the standard deviation of the first `counts` frames of each row, [batch, 2 * features].
// counts  float32 [batch, 1, 1]
Value statistics(const Value& x, const Value& counts) {
  require(x.shape()[1] > 1, "tdnn", {&x, 1}, "two frames behind the layers");
  const TensorType frames{DType::kInt32, {1, x.shape()[1], 1}};
  const Value wide = convert(x, DType::kFloat32);
  const Value counted = convert(iota(frames, 1), DType::kFloat32) + full({DType::kFloat32, counts.shape()}, 0);
  const Value is_counted =
      convert(compare(Direction::kLess, counted, broadcast_to(counts, counted.shape())), DType::kFloat32);
  const Value mean = sum(wide * is_counted, {1}, ReducedAxes::kKeep) / counts;
  const Value centred = (wide - mean) * is_counted;
  const Value variance = sum(centred * centred, {1}, ReducedAxes::kKeep) / (counts - 1.0);
  const Value deviation = sqrt(maximum(variance, full(variance.type(), kSmallestVariance)));
  const Value both = concatenate({mean, deviation}, 2);
  return reshape(both, {both.shape()[0], both.shape()[2]});
}

// The number of frames of each row after the layers, float32 [batch, 1, 1]. Like transformers, it leaves out the
// dilation, so that the last frames of a shorter row see padding.
Value counts_behind(const XVectorFields& c, const Value& frames, const Shape& x) {
  const TensorType type{DType::kFloat32, {x[0], 1, 1}};
  const Value width = full(type, static_cast<double>(x[1]));
  if (!frames) return width;
  int64_t lost = 0;
  for (const int64_t kernel : c.tdnn_kernel) lost += kernel - 1;
  return minimum(convert(reshape(frames, type.shape), DType::kFloat32) - static_cast<double>(lost), width);
}

}  // namespace

int64_t XVectorFields::min_frames() const {
  int64_t frames = 2;
  for (size_t i = 0; i < tdnn_kernel.size(); ++i) frames += tdnn_dilation[i] * (tdnn_kernel[i] - 1);
  return frames;
}

XVectorFields xvector_fields(const ConfigReader& config) {
  XVectorFields c;
  const auto read = [&](std::string_view key, std::vector<int64_t>& field) {
    if (config.has(key)) field = config.get_ints(key, kSize);
  };
  read("tdnn_dim", c.tdnn_dim);
  read("tdnn_kernel", c.tdnn_kernel);
  read("tdnn_dilation", c.tdnn_dilation);
  config.read("xvector_output_dim", c.xvector_output_dim, kSize);
  if (!c.tdnn_dim.empty() && c.tdnn_dim.size() == c.tdnn_kernel.size() && c.tdnn_dim.size() == c.tdnn_dilation.size()) {
    return c;
  }
  throw CheckpointError({.where = "config.json, tdnn_dim, tdnn_kernel and tdnn_dilation",
                         .given = std::to_string(c.tdnn_dim.size()) + ", " + std::to_string(c.tdnn_kernel.size()) +
                                  " and " + std::to_string(c.tdnn_dilation.size()) + " numbers",
                         .expected = "one number for each layer in all of them"});
}

XVectors xvectors_of(const Scope& root, const XVectorFields& c, const Value& x, const Value& frames,
                     int64_t num_labels) {
  Value h = linear(root / "projector", x, c.tdnn_dim.front());
  for (size_t i = 0; i < c.tdnn_dim.size(); ++i) {
    const Scope layer = root / "tdnn" / std::to_string(i);  // not one of the layers that Scope counts
    h = tdnn_layer(layer, h, c.tdnn_dim[i], c.tdnn_kernel[i], c.tdnn_dilation[i]);
  }
  const Value pooled = statistics(h, counts_behind(c, frames, h.shape()));
  const Value embeddings = logits(root / "feature_extractor", convert(pooled, x.dtype()), c.xvector_output_dim);
  const Value projected = logits(root / "classifier", convert(embeddings, x.dtype()), c.xvector_output_dim);
  const Value speakers =
      (root / "objective").parameter("weight", {c.xvector_output_dim, num_labels}, {nn::Initializer::Kind::kNormal, 1});
  return {
      .embeddings = embeddings,
      .logits = projected,
      .cosines = matmul(nn::l2_normalize(projected, 1, kSmallestNorm), nn::l2_normalize(speakers, 0, kSmallestNorm))};
}

}  // namespace portatune::models

#include "portatune/models/audio/contrastive_head.h"

#include <cmath>
#include <utility>

#include "portatune/models/audio/initializers.h"
#include "portatune/models/heads.h"
#include "portatune/ops.h"

namespace portatune::models {
namespace {

using nn::Initializer;
using nn::Scope;

// nn.Linear as PyTorch initialises it.
Value linear_of_torch(const Scope& s, const Value& x, int64_t size) {
  const int64_t width = x.shape().back();
  const Initializer initializer{.kind = Initializer::Kind::kUniform,
                                .stddev = 1 / std::sqrt(3.0 * static_cast<double>(width))};
  const Value weight = s.rounded_parameter("weight", {size, width}, initializer);
  const Value bias = s.parameter("bias", {size}, initializer);
  return portatune::linear(x, weight) + convert(bias, x.dtype());
}

// Scores of the codevectors, float32 [batch, frames, groups, codevectors].
Value scores_of(const Scope& s, const ContrastiveFields& c, const Value& frames) {
  const int64_t size = c.num_codevector_groups * c.num_codevectors_per_group;
  const Value weight = s.rounded_parameter("weight", {size, frames.shape()[2]}, {Initializer::Kind::kNormal, 1});
  const Value bias = s.parameter("bias", {size}, {Initializer::Kind::kZeros});
  const Value scores = convert(portatune::linear(frames, weight), DType::kFloat32) + bias;
  return reshape(scores, {scores.shape()[0], scores.shape()[1], c.num_codevector_groups, c.num_codevectors_per_group});
}

// 1 for the chosen codevector of a group and 0 for the others. scores [..., codevectors], codes [...]
Value one_hot(const Value& codes, const Value& scores) {
  const TensorType type{DType::kInt32, scores.shape()};
  const Value chosen = broadcast_to(expand_dims(codes, -1), type.shape);
  return convert(compare(Direction::kEqual, iota(type, scores.rank() - 1), chosen), DType::kFloat32);
}

// The chosen codevectors of all groups, side by side: [batch, frames, codevector_dim].
Value codevectors_of(const Scope& s, const ContrastiveFields& c, const Value& chosen) {
  const int64_t groups = c.num_codevector_groups, size = c.num_codevectors_per_group;
  const int64_t width = c.codevector_dim / groups;
  const Value table =
      reshape(s.parameter("codevectors", {1, groups * size, width}, uniform_between(0, 1)), {groups, size, width});
  const Value by_group =
      dot_general(chosen, table, {.lhs_batch = {2}, .rhs_batch = {0}, .lhs_contracting = {3}, .rhs_contracting = {1}});
  return reshape(transpose(by_group, {1, 2, 0, 3}), {chosen.shape()[0], chosen.shape()[1], c.codevector_dim});
}

}  // namespace

ContrastiveFacts ContrastiveFields::facts(std::string class_name) const {
  return {.class_name = std::move(class_name),
          .groups = num_codevector_groups,
          .codevectors = num_codevectors_per_group,
          .negatives = num_negatives,
          .temperature = contrastive_logits_temperature,
          .diversity_loss_weight = diversity_loss_weight};
}

ContrastiveFields contrastive_fields(const ConfigReader& config) {
  ContrastiveFields c;
  config.read("codevector_dim", c.codevector_dim, kSize);
  config.read("proj_codevector_dim", c.proj_codevector_dim, kSize);
  config.read("num_codevector_groups", c.num_codevector_groups, kSize);
  config.read("num_codevectors_per_group", c.num_codevectors_per_group, kSize);
  config.read("num_negatives", c.num_negatives, kSize);
  config.read("feat_quantizer_dropout", c.feat_quantizer_dropout, kRate);
  config.read("contrastive_logits_temperature", c.contrastive_logits_temperature, {1e-6, 1e6});
  config.read("diversity_loss_weight", c.diversity_loss_weight, {0, 1e6});
  require_multiple("codevector_dim", c.codevector_dim, "num_codevector_groups", c.num_codevector_groups);
  return c;
}

ContrastiveStates contrastive_states_of(const Scope& root, const ContrastiveFields& c, const Value& frames,
                                        const Value& x, const GumbelChoice& choice) {
  const Scope quantizer = root / "quantizer";
  const Value dropped = dropout(root / "dropout_features", frames, c.feat_quantizer_dropout);
  const Value scores = scores_of(quantizer / "weight_proj", c, dropped);
  ContrastiveStates states;
  Value chosen;
  if (choice.noise) {
    const Value temperature = broadcast_to(reshape(choice.temperature, {1, 1, 1, 1}), scores.shape());
    const Value soft = softmax((scores + choice.noise) / temperature, 3);
    states.codes = argmax(soft, 3);
    chosen = one_hot(states.codes, scores) + (soft - stop_gradient(soft));
    states.probabilities = softmax(scores, 3);
  } else {
    states.codes = argmax(scores, 3);
    chosen = one_hot(states.codes, scores);
    states.probabilities = chosen;
  }
  const Value codevectors = convert(codevectors_of(quantizer, c, chosen), x.dtype());
  const auto wide = [](const Value& y) { return convert(y, DType::kFloat32); };
  states.projected_states = wide(linear_of_torch(root / "project_hid", x, c.proj_codevector_dim));
  states.projected_quantized_states = wide(linear_of_torch(root / "project_q", codevectors, c.proj_codevector_dim));
  return states;
}

}  // namespace portatune::models

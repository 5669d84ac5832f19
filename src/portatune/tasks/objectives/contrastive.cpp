#include "portatune/tasks/objectives/contrastive.h"

#include "portatune/nn/l2_normalize.h"
#include "portatune/ops.h"

namespace portatune::tasks {
namespace {

constexpr double kSmallestNorm = 1e-8;  // as torch.cosine_similarity

Value zeros_like(const Value& x) { return full(x.type(), 0); }

// The number of times that each frame is among the negatives of a frame, float32 [batch, frames, frames].
Value counts_of(const Value& negatives) {
  const Shape& shape = negatives.shape();  // [batch, frames, negatives]
  const TensorType all{DType::kInt32, {shape[0], shape[1], shape[1], shape[2]}};
  const Value is_drawn = compare(Direction::kEqual, broadcast_to(expand_dims(negatives, 2), all.shape), iota(all, 2));
  return sum(convert(is_drawn, DType::kFloat32), {3});
}

// 0 for pairs of frames with the same codevectors in all groups, else 1: float32 [batch, frames, frames].
Value differ(const Value& codes) {
  const int64_t batch = codes.shape()[0], frames = codes.shape()[1], groups = codes.shape()[2];
  const Shape pairs{batch, frames, frames};
  Value is_same;
  for (int64_t group = 0; group < groups; ++group) {
    const Value of_group = slice(codes, 2, {group, group + 1});
    const Value first = broadcast_to(of_group, pairs), second = broadcast_to(transpose(of_group, {0, 2, 1}), pairs);
    const Value equal = compare(Direction::kEqual, first, second);
    is_same = is_same ? bitwise_and(is_same, equal) : equal;
  }
  return convert(logical_not(is_same), DType::kFloat32);
}

// Sum over the groups of the perplexities of the mean distribution. source  equation (4)
Value perplexity_of(const Value& probabilities, const Value& mask, const Value& masked, const Mesh& mesh) {
  const Value weight = expand_dims(expand_dims(mask, -1), -1);
  const Value total = all_reduce(sum(probabilities * weight, {0, 1}), mesh, kBatchAxes);  // [groups, codevectors]
  const Value mean = total / maximum(masked, full(masked.type(), 1e-30));
  const Value log_mean = log(maximum(mean, full(mean.type(), 1e-30)));
  return sum(exp(neg(sum(mean * log_mean, {1}))));
}

}  // namespace

ContrastiveLoss contrastive_loss(const models::ContrastiveFacts& facts, const models::ContrastiveStates& states,
                                 const Value& mask_time, const Value& negatives, const Value& weights,
                                 const Mesh& mesh) {
  const Value predicted = nn::l2_normalize(states.projected_states, 2, kSmallestNorm),
              wanted = nn::l2_normalize(states.projected_quantized_states, 2, kSmallestNorm);
  const Value similar = dot_general(
      predicted, wanted, {.lhs_batch = {0}, .rhs_batch = {0}, .lhs_contracting = {2}, .rhs_contracting = {2}});
  const Value logits = similar / facts.temperature;                      // [batch, frames, frames]
  const Value right = sum(predicted * wanted, {2}) / facts.temperature;  // [batch, frames]
  const Value times = stop_gradient(counts_of(negatives) * differ(states.codes));
  const Value counts = compare(Direction::kGreater, times, zeros_like(times));
  const Value others = max(select(counts, logits, full(logits.type(), -1e30)), {2});
  const Value highest = stop_gradient(maximum(right, others));
  // Other frames may be more similar, so that their exponentials would overflow.
  const Value behind = select(counts, logits - expand_dims(highest, -1), zeros_like(logits));
  const Value total = exp(right - highest) + sum(times * exp(behind), {2});

  ContrastiveLoss loss;
  loss.losses = log(total) + highest - right;
  loss.hits = convert(compare(Direction::kGreater, right, others), DType::kFloat32);
  const Value mask = convert(mask_time, DType::kFloat32) * expand_dims(weights, -1);
  loss.masked = sum(mask);
  loss.contrastive = sum(loss.losses * mask);
  loss.perplexity = perplexity_of(states.probabilities, mask, all_reduce(loss.masked, mesh, kBatchAxes), mesh);
  const auto codevectors = static_cast<double>(facts.groups * facts.codevectors);
  loss.diversity = (codevectors - loss.perplexity) / codevectors * loss.masked;
  loss.total = loss.contrastive + loss.diversity * facts.diversity_loss_weight;
  return loss;
}

Value gumbel_noise(const Shape& shape, const Value& key) {
  const int64_t size = shape.elements();
  const Value bits = random_bits(iota({DType::kUInt32, {size}}, 0), key);
  // Odd multiples of 2^-24, which are exact and neither 0 nor 1.
  const Value half = convert(shift_right_logical(bits, full(bits.type(), 9)), DType::kFloat32) + 0.5;
  return reshape(neg(log(neg(log(half * 0x1p-23)))), shape);
}

}  // namespace portatune::tasks

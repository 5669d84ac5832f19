#include "portatune/graph/ops/attention/block_sparse_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "portatune/graph/checks.h"
#include "portatune/graph/composite.h"
#include "portatune/graph/gradients.h"
#include "portatune/graph/ops/while_loop.h"
#include "portatune/ops.h"

namespace portatune {
namespace {

// Blocks that each of the middle blocks of queries sees: the first one, a neighbour, itself, a neighbour, the last one.
constexpr int64_t kFixed = 5;

// [batch, length, heads * size] -> [batch, heads, blocks, block_size, size]
Value split(const Value& x, const BlockSparseOptions& o) {
  const Shape& s = x.shape();
  return transpose(reshape(x, {s[0], s[1] / o.block_size, o.block_size, o.heads, s[2] / o.heads}), {0, 3, 1, 2, 4});
}

// [batch, heads, blocks, block_size, size] -> [batch, blocks * block_size, heads * size]
Value join(const Value& x) {
  const Shape& s = x.shape();
  return reshape(transpose(x, {0, 2, 3, 1, 4}), {s[0], s[2] * s[3], s[1] * s[4]});
}

// The blocks of x [batch, heads, blocks, block_size, size] that the middle blocks of queries see, side by side:
// [batch, heads, blocks - 2, kFixed * block_size, size].
Value fixed_blocks(const Value& x) {
  const int64_t blocks = x.shape()[2];
  Shape middle = x.shape();
  middle[2] = blocks - 2;
  const auto part = [&](int64_t begin, int64_t end) { return slice(x, 2, {begin, end}); };
  const auto everywhere = [&](int64_t block) { return broadcast_to(part(block, block + 1), middle); };
  return concatenate({everywhere(0), part(0, blocks - 2), part(1, blocks - 1), part(2, blocks), everywhere(blocks - 1)},
                     3);
}

// The random blocks of the same, [batch, heads, blocks - 2, random_blocks * block_size, size], by a product with a
// matrix of ones and zeros: the gradient of a gather would be a scatter, which TPUs compute row by row. A head axis of
// 1 serves all heads.
Value random_blocks(const Value& x, const Value& random) {
  const Shape &s = x.shape(), &r = random.shape();
  const int64_t heads = r[0], rows = r[1], chosen = r[1] * r[2];
  const TensorType one_hot{DType::kInt32, {heads, chosen, s[2]}};
  const Value is_chosen =
      compare(Direction::kEqual, broadcast_to(reshape(random, {heads, chosen, 1}), one_hot.shape), iota(one_hot, 2));
  Shape of_all = s;
  of_all[1] = heads;
  const Value by_block = reshape(broadcast_to(x, of_all), {s[0], heads, s[2], s[3] * s[4]});
  const Value found = dot_general(convert(is_chosen, x.dtype()), by_block,
                                  {.lhs_batch = {0}, .rhs_batch = {1}, .lhs_contracting = {2}, .rhs_contracting = {2}});
  // [heads, chosen, batch, block_size * size]
  return reshape(transpose(found, {2, 0, 1, 3}), {s[0], heads, rows, r[2] * s[3], s[4]});
}

// All keys, or values, that the middle blocks of queries see, with the random ones at the end.
Value seen_blocks(const Value& x, const Value& random, const BlockSparseOptions& o) {
  return o.random_blocks == 0 ? fixed_blocks(x) : concatenate({fixed_blocks(x), random_blocks(x, random)}, 3);
}

// -infinity at the neighbours that are the first or the last block, else 0; float32 [1, 1, rows, kFixed * block_size].
Value hidden_twins(int64_t rows, const BlockSparseOptions& o) {
  const TensorType by_block{DType::kInt32, {1, 1, rows, kFixed, o.block_size}};
  const Value row = iota(by_block, 2), part = iota(by_block, 3);
  const auto at = [&](int64_t twin_row, int64_t twin_part) {
    const auto equal = [&](const Value& x, int64_t y) {
      return compare(Direction::kEqual, x, full({DType::kInt32, {}}, static_cast<double>(y)));
    };
    return bitwise_and(equal(row, twin_row), equal(part, twin_part));
  };
  const TensorType scores{DType::kFloat32, by_block.shape};
  const Value hidden = select(bitwise_or(at(0, 1), at(rows - 1, 3)),
                              full(scores, -std::numeric_limits<double>::infinity()), full(scores, 0));
  return reshape(hidden, {1, 1, rows, kFixed * o.block_size});
}

// The bias of these keys, float32 [batch, heads or 1, rows, 1, keys].
Value seen_bias(const Value& bias, const Value& random, const BlockSparseOptions& o) {
  const int64_t batch = bias.shape()[0], blocks = bias.shape()[3] / o.block_size, rows = blocks - 2;
  const Value by_block = reshape(bias, {batch, 1, blocks, o.block_size, 1});
  const auto flat = [](const Value& x) {
    const Shape& s = x.shape();
    return reshape(x, {s[0], s[1], s[2], s[3]});
  };
  Value seen = flat(fixed_blocks(by_block)) + hidden_twins(rows, o);
  if (o.random_blocks > 0) {
    const Value of_random = flat(random_blocks(by_block, random));
    Shape of_heads = seen.shape();
    of_heads[1] = of_random.shape()[1];
    seen = concatenate({broadcast_to(seen, of_heads), of_random}, 3);
  }
  return expand_dims(seen, 3);
}

// Per block of queries, contracting axis 4 of the first operand; float32.
Value product(const Value& a, const Value& b, int64_t contracted_of_b) {
  return dot_general(
      a, b,
      {.lhs_batch = {0, 1, 2}, .rhs_batch = {0, 1, 2}, .lhs_contracting = {4}, .rhs_contracting = {contracted_of_b}},
      DType::kFloat32);
}

Attributes attributes_of(const BlockSparseOptions& o) {
  return {{"heads", i64_attribute(o.heads)},
          {"block_size", i64_attribute(o.block_size)},
          {"random_blocks", i64_attribute(o.random_blocks)},
          {"first_again", i64_attribute(o.first_again)},
          {"scale", f32_attribute(o.scale)}};
}

// Attention within groups of blocks: out [batch, heads, groups, queries, size] and the log of each row's sum of
// exponentials, [batch, heads, groups, queries].
struct Attended {
  Value out, lse;
};

// q, k, v [batch, heads, groups, queries or keys, size]; bias [batch, heads or 1, groups or 1, 1, keys]
Attended attend(const Value& q, const Value& k, const Value& v, const Value& bias, double scale) {
  const Value scores = product(q, k, 4) * scale + bias;
  const Value highest = stop_gradient(max(scores, {4}, ReducedAxes::kKeep));
  const Value exponentials = exp(scores - highest);
  const Value total = sum(exponentials, {4}, ReducedAxes::kKeep);
  const Value out = convert(product(convert(exponentials / total, v.dtype()), v, 3), q.dtype());
  const Shape& s = total.shape();
  return {out, reshape(log(total) + highest, {s[0], s[1], s[2], s[3]})};
}

// The bias for middle blocks: a key that counts n times more has log(1 + n) in addition.
Value middle_bias(const Value& bias, const BlockSparseOptions& o) {
  if (o.first_again == 0) return bias;
  const Value is_first = compare(Direction::kLess, iota({DType::kInt32, bias.shape()}, 3),
                                 full({DType::kInt32, {}}, static_cast<double>(o.block_size)));
  return select(is_first, bias + std::log1p(static_cast<double>(o.first_again)), bias);
}

// Attention of the middle blocks of queries; all operands as in block_sparse_attention.
Attended attend_middle(const BlockSparseOptions& o, std::span<const Value> in) {
  const int64_t blocks = in[0].shape()[1] / o.block_size;
  const Value q = slice(split(in[0], o), 2, {1, blocks - 1});
  const Value k = seen_blocks(split(in[1], o), in[4], o), v = seen_blocks(split(in[2], o), in[4], o);
  return attend(q, k, v, seen_bias(middle_bias(in[3], o), in[4], o), o.scale);
}

// Attention of the first and the last block of queries to all keys, as two groups.
Attended attend_ends(const BlockSparseOptions& o, std::span<const Value> in) {
  const auto as_one_group = [](const Value& x) {
    const Shape& s = x.shape();
    return reshape(x, {s[0], s[1], 1, s[2] * s[3], s[4]});
  };
  const Value q = split(in[0], o), bias = expand_dims(in[3], 2);
  const Shape& s = q.shape();
  const Value ends = concatenate({slice(q, 2, {0, 1}), slice(q, 2, {s[2] - 1, s[2]})}, 2);
  const Attended all =
      attend(as_one_group(ends), as_one_group(split(in[1], o)), as_one_group(split(in[2], o)), bias, o.scale);
  return {reshape(all.out, ends.shape()), reshape(all.lse, {s[0], s[1], 2, s[3]})};
}

// The results of block_sparse_attention, from its operands.
Values attend_by_blocks(const BlockSparseOptions& o, std::span<const Value> in) {
  const Attended middle = attend_middle(o, in), ends = attend_ends(o, in);
  const auto around = [](const Value& of_ends, const Value& of_middle) {
    return concatenate({slice(of_ends, 2, {0, 1}), of_middle, slice(of_ends, 2, {1, 2})}, 2);
  };
  const Value lse = around(ends.lse, middle.lse);
  const Shape& s = lse.shape();
  return {join(around(ends.out, middle.out)), reshape(lse, {s[0], s[1], s[2] * s[3]})};
}

// The gradients of q, k and v, for these operands of block_sparse_attention_grad.
Values gradients_by_blocks(const BlockSparseOptions& o, std::span<const Value> in) {
  const Value out = attend_by_blocks(o, in.subspan(1, 5))[0];
  return backpropagate({&out, 1}, in.first(1), in.subspan(1, 3), AtWrt::kStop);
}

// Number of equal parts of the heads whose gradients are computed one after the other: several, because the temporary
// memory is that of one part, and few, because a part should have enough work for a device.
int64_t parts_of_heads(int64_t heads) {
  constexpr int64_t kMaxParts = 4;
  int64_t parts = std::min(kMaxParts, heads);
  while (heads % parts != 0) --parts;
  return parts;
}

// The same gradients, computed in a loop over parts of the heads.
Values gradients_by_heads(const BlockSparseOptions& o, std::span<const Value> in, int64_t parts) {
  const Value index = parameter("part of the heads", {DType::kInt32, {}});
  const auto part_of = [&](const Value& x, int64_t axis) {
    const int64_t size = x.shape()[axis] / parts;
    return dynamic_slice(x, axis, index * static_cast<double>(size), size);
  };
  BlockSparseOptions of_part = o;
  of_part.heads = o.heads / parts;
  Values dinputs = gradients_by_blocks(of_part, Values{part_of(in[0], 2), part_of(in[1], 2), part_of(in[2], 2),
                                                       part_of(in[3], 2), in[4], part_of(in[5], 0)});
  for (Value& dx : dinputs) dx = expand_dims(dx, 0);
  dinputs = loop_over({.sums = {}, .parts = dinputs}, index, parts).parts;
  for (Value& dx : dinputs) dx = reshape(transpose(dx, {1, 2, 0, 3}), in[1].shape());
  return dinputs;
}

// block_sparse_attention_grad(dout, q, k, v, bias, random, out, lse): the gradients of q, k and v.
//   shape     those of q, k and v
//   lowering  the kernel portatune.block_attention_grad
struct BlockSparseAttentionGrad final : Composite {
  const BlockSparseOptions o;
  explicit BlockSparseAttentionGrad(const BlockSparseOptions& o) : o(o) {}

  std::string_view name() const override { return "block_sparse_attention_grad"; }
  Types infer(std::span<const Value> in) const override { return {in[1].type(), in[2].type(), in[3].type()}; }
  Values decompose(std::span<const Value> in) const override {
    const int64_t parts = parts_of_heads(o.heads);
    return parts == 1 ? gradients_by_blocks(o, in) : gradients_by_heads(o, in, parts);
  }
  KernelCall kernel(const Node&) const override {
    return {.target = "portatune.block_attention_grad", .attributes = attributes_of(o)};
  }
};

// block_sparse_attention(q, k, v, bias, random): attention between blocks, and the log of each row's sum of
// exponentials. The middle blocks of queries, those between the first and the last one, see some blocks of keys.
//   shape     that of q; float32 [batch, heads, length]
//   gradient  block_sparse_attention_grad
//   lowering  the kernel portatune.block_attention
struct BlockSparseAttention final : Composite {
  const BlockSparseOptions o;
  explicit BlockSparseAttention(const BlockSparseOptions& o) : o(o) {}

  std::string_view name() const override { return "block_sparse_attention"; }

  Types infer(std::span<const Value> in) const override {
    const Value& q = in[0];
    require(q.rank() == 3 && is_float(q.dtype()) && q.type() == in[1].type() && q.type() == in[2].type(), name(),
            in.first(3), "q, k and v [batch, length, heads * head_size] of one float type");
    const Shape& s = q.shape();
    require(o.heads > 0 && s[2] % o.heads == 0, name(), in.first(3), "a hidden size that is a multiple of the heads",
            " with " + std::to_string(o.heads) + " heads");
    require(o.block_size > 0 && s[1] % o.block_size == 0 && s[1] >= kFixed * o.block_size, name(), in.first(3),
            "a length of at least " + std::to_string(kFixed) + " whole blocks",
            " in blocks of " + std::to_string(o.block_size));
    require(in[3].type() == TensorType{DType::kFloat32, {s[0], 1, 1, s[1]}}, name(), in.subspan(3, 1),
            "a bias float32 [batch, 1, 1, length] as fourth operand");
    const TensorType random{DType::kInt32, {o.heads, s[1] / o.block_size - 2, std::max<int64_t>(o.random_blocks, 1)}};
    require(o.random_blocks >= 0 && in[4].type() == random, name(), in.last(1),
            "random blocks int32 [heads, blocks - 2, random_blocks] as fifth operand");
    return {q.type(), {DType::kFloat32, {s[0], o.heads, s[1]}}};
  }

  Values decompose(std::span<const Value> in) const override { return attend_by_blocks(o, in); }

  Values gradient(const Node& node, std::span<const Value> dresults) const override {
    require(dresults[0] && !dresults[1], name(), node.inputs(), "a gradient for the first result only");
    const Values& in = node.inputs();
    Values dinputs = make_nodes(std::make_unique<BlockSparseAttentionGrad>(o),
                                {dresults[0], in[0], in[1], in[2], in[3], in[4], node.result(0), node.result(1)});
    dinputs.resize(in.size());
    return dinputs;
  }

  KernelCall kernel(const Node&) const override {
    return {.target = "portatune.block_attention", .attributes = attributes_of(o)};
  }
};

}  // namespace

Value block_sparse_attention(const Value& q, const Value& k, const Value& v, const Value& bias, const Value& random,
                             const BlockSparseOptions& o) {
  // The kernel always has this operand.
  const Value chosen = random ? random : full({DType::kInt32, {o.heads, q.shape()[1] / o.block_size - 2, 1}}, 0);
  return make_nodes(std::make_unique<BlockSparseAttention>(o), {q, k, v, bias, chosen})[0];
}

}  // namespace portatune

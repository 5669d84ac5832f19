#include "portatune/graph/ops/attention/block_sparse_attention.h"

#include <cmath>
#include <limits>

#include "portatune/graph/checks.h"
#include "portatune/graph/composite.h"
#include "portatune/graph/gradients.h"
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

// Type of the results of the middle blocks.
TensorType middle_of(const Value& q, const BlockSparseOptions& o) {
  return {q.dtype(), {q.shape()[0], q.shape()[1] - 2 * o.block_size, q.shape()[2]}};
}

Attributes attributes_of(const BlockSparseOptions& o) {
  return {{"heads", i64_attribute(o.heads)},
          {"block_size", i64_attribute(o.block_size)},
          {"random_blocks", i64_attribute(o.random_blocks)},
          {"scale", f32_attribute(o.scale)}};
}

// The attention of the middle blocks, from (q, k, v, bias, random).
Values attend(const BlockSparseOptions& o, std::span<const Value> in) {
  const int64_t blocks = in[0].shape()[1] / o.block_size;
  const Value q = slice(split(in[0], o), 2, {1, blocks - 1});
  const Value k = seen_blocks(split(in[1], o), in[4], o), v = seen_blocks(split(in[2], o), in[4], o);
  const Value scores = product(q, k, 4) * o.scale + seen_bias(in[3], in[4], o);
  const Value highest = stop_gradient(max(scores, {4}, ReducedAxes::kKeep));
  const Value exponentials = exp(scores - highest);
  const Value total = sum(exponentials, {4}, ReducedAxes::kKeep);
  const Value out = product(convert(exponentials / total, in[2].dtype()), v, 3);
  const Shape& s = total.shape();
  return {convert(join(out), in[0].dtype()), reshape(log(total) + highest, {s[0], s[1], s[2] * s[3]})};
}

// block_sparse_attention_grad(dout, q, k, v, bias, random, out, lse): the gradients of q, k and v, whose first and last
// blocks of q get zeros.
//   shape     those of q, k and v
//   lowering  the kernel portatune.block_attention_grad
struct BlockSparseAttentionGrad final : Composite {
  const BlockSparseOptions o;
  explicit BlockSparseAttentionGrad(const BlockSparseOptions& o) : o(o) {}

  std::string_view name() const override { return "block_sparse_attention_grad"; }
  Types infer(std::span<const Value> in) const override { return {in[1].type(), in[2].type(), in[3].type()}; }
  Values decompose(std::span<const Value> in) const override {
    const Value out = attend(o, in.subspan(1, 5))[0];
    return backpropagate({&out, 1}, in.first(1), in.subspan(1, 3), AtWrt::kStop);
  }
  KernelCall kernel(const Node&) const override {
    return {.target = "portatune.block_attention_grad", .attributes = attributes_of(o)};
  }
};

// block_sparse_attention(q, k, v, bias, random): attention of the middle blocks of queries, those between the first and
// the last one; also the log of each row's sum of exponentials. The function of this name adds the other two.
//   shape     [batch, length - 2 block_size, hidden]; float32 [batch, heads, length - 2 block_size]
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
    const TensorType middle = middle_of(q, o);
    return {middle, {DType::kFloat32, {s[0], o.heads, middle.shape[1]}}};
  }

  Values decompose(std::span<const Value> in) const override { return attend(o, in); }

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

// Attention of the first and the last block to all keys, [batch, 2 block_size, hidden].
Value attention_of_ends(const Value& q, const Value& k, const Value& v, const Value& bias,
                        const BlockSparseOptions& o) {
  const int64_t length = q.shape()[1];
  const Value ends = concatenate({slice(q, 1, {0, o.block_size}), slice(q, 1, {length - o.block_size, length})}, 1);
  return attention(ends, k, v, bias, {.heads = o.heads, .scale = o.scale});
}

// The bias for middle blocks: a key that counts n times more has log(1 + n) in addition.
Value middle_bias(const Value& bias, const BlockSparseOptions& o) {
  if (o.first_again == 0) return bias;
  const Value is_first = compare(Direction::kLess, iota({DType::kInt32, bias.shape()}, 3),
                                 full({DType::kInt32, {}}, static_cast<double>(o.block_size)));
  return select(is_first, bias + std::log1p(static_cast<double>(o.first_again)), bias);
}

}  // namespace

Value block_sparse_attention(const Value& q, const Value& k, const Value& v, const Value& bias, const Value& random,
                             const BlockSparseOptions& o) {
  // The kernel always has this operand.
  const Value chosen = random ? random : full({DType::kInt32, {o.heads, q.shape()[1] / o.block_size - 2, 1}}, 0);
  const Value middle =
      make_nodes(std::make_unique<BlockSparseAttention>(o), {q, k, v, middle_bias(bias, o), chosen})[0];
  const Value ends = attention_of_ends(q, k, v, bias, o);
  return concatenate({slice(ends, 1, {0, o.block_size}), middle, slice(ends, 1, {o.block_size, 2 * o.block_size})}, 1);
}

}  // namespace portatune

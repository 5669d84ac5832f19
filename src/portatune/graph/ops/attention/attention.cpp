#include <algorithm>
#include <limits>

#include "portatune/graph/checks.h"
#include "portatune/graph/composite.h"
#include "portatune/graph/gradients.h"
#include "portatune/graph/ops/attention/attention_mask.h"
#include "portatune/graph/ops/attention/cudnn_attention.h"
#include "portatune/graph/ops/elementwise/dropout.h"
#include "portatune/graph/ops/shapes/broadcast.h"
#include "portatune/graph/traversal.h"
#include "portatune/ops.h"

namespace portatune {
namespace {

// A row has a lower lse than this if it sees no key. Its scores are lost in rounding.
constexpr double kHidden = -1e8;

// The size of an unlimited band in the kernels.
constexpr int64_t kUnlimited = int64_t{1} << 40;

struct Parameters {
  int64_t heads, kv_heads, dropout_heads;
  double scale, softcap;
  bool drops;
  Band band;

  // The weights [batch, heads, query, kv] after dropout.
  Value dropped(const Value& weights, const Value& key, const Value& rule) const {
    if (!drops) return weights;
    Shape of_all = weights.shape();
    of_all[1] = dropout_heads;
    return drop(weights, of_all, key, rule);
  }

  Attributes attributes() const {
    return {{"heads", i64_attribute(heads)},
            {"kv_heads", i64_attribute(kv_heads)},
            {"dropout_heads", i64_attribute(dropout_heads)},
            {"scale", f32_attribute(scale)},
            {"softcap", f32_attribute(softcap)},
            {"drops", drops ? "true" : "false"},
            {"before", i64_attribute(band.before.value_or(kUnlimited))},
            {"after", i64_attribute(band.after.value_or(kUnlimited))}};
  }
};

// [batch, seq, hidden] -> [batch, heads, seq, head_size]
Value split_heads(const Value& x, int64_t heads) {
  const Shape& s = x.shape();
  return transpose(reshape(x, {s[0], s[1], heads, s[2] / heads}), {0, 2, 1, 3});
}

// [batch, heads, seq, head_size] -> [batch, seq, hidden]
Value join_heads(const Value& x) {
  const Shape& s = x.shape();
  return reshape(transpose(x, {0, 2, 1, 3}), {s[0], s[2], s[1] * s[3]});
}

// [batch, heads, seq, n] -> [batch, kv_heads, heads / kv_heads * seq, n]: the queries that share keys become rows of
// one matrix. Thus neither keys nor values are repeated, and their gradients are sums over the heads that share them.
Value stack_groups(const Value& x, int64_t kv_heads) {
  const Shape& s = x.shape();
  return reshape(x, {s[0], kv_heads, s[1] / kv_heads * s[2], s[3]});
}

// The inverse of stack_groups().
Value unstack_groups(const Value& x, int64_t heads) {
  const Shape& s = x.shape();
  return reshape(x, {s[0], heads, s[1] * s[2] / heads, s[3]});
}

// Per head: a b^T over the last axes of both; float32.
Value times_transposed(const Value& a, const Value& b) {
  return dot_general(a, b, {.lhs_batch = {0, 1}, .rhs_batch = {0, 1}, .lhs_contracting = {3}, .rhs_contracting = {3}},
                     DType::kFloat32);
}

// Per head: a b, contracting the last axis of a with axis 2 of b; float32.
Value times(const Value& a, const Value& b) {
  return dot_general(a, b, {.lhs_batch = {0, 1}, .rhs_batch = {0, 1}, .lhs_contracting = {3}, .rhs_contracting = {2}},
                     DType::kFloat32);
}

// Per head: a^T b, contracting axis 2 of both; float32.
Value transposed_times(const Value& a, const Value& b) {
  return dot_general(a, b, {.lhs_batch = {0, 1}, .rhs_batch = {0, 1}, .lhs_contracting = {2}, .rhs_contracting = {2}},
                     DType::kFloat32);
}

// scale q k^T, bounded by the softcap if there is one; [batch, heads, query, kv].
Value products_of(const Parameters& p, const Value& q, const Value& k) {
  const Value products = unstack_groups(times_transposed(stack_groups(q, p.kv_heads), k), p.heads) * p.scale;
  return p.softcap == 0 ? products : tanh(products / p.softcap) * p.softcap;
}

// products + bias; -infinity at keys that a query does not see.
Value scores_of(const Parameters& p, const Value& products, const Value& mask) {
  constexpr double kUnseen = -std::numeric_limits<double>::infinity();
  return masked(products, mask, p.band, kUnseen);
}

// [batch, seq, hidden] -> [batch, seq, heads, head_size]
Value with_heads(const Value& x, int64_t heads) {
  const Shape& s = x.shape();
  return reshape(x, {s[0], s[1], heads, s[2] / heads});
}

// The kernels take segments, or a bias [batch or 1, heads or 1, query or 1, kv].
bool kernels_take(const Value& k, const Value& mask) {
  return !is_float(mask.dtype()) || (mask.rank() == 4 && mask.shape()[3] == k.shape()[1]);
}

// Whether the bias may need a gradient: it depends on a float parameter through floats alone.
bool may_need_gradient(const Value& mask) {
  const auto is_constant = [](const Value& value) { return !is_float(value.dtype()); };
  const std::vector<const Node*> nodes = topological_order({&mask, 1}, is_constant);
  return std::ranges::any_of(nodes, [](const Node* node) { return is_parameter(*node); });
}

// The attention in cuDNN's form.
struct AsCudnn {
  Value q, k, v, bias;
  CudnnAttention options;
};

// The attention for cuDNN; nothing if the target has no cuDNN, or if cuDNN does not support it. Dropout is not
// supported because cuDNN would use its own random numbers, a bias for each head because it would be stored for each
// example, too.
std::optional<AsCudnn> as_cudnn(const Parameters& p, const Lowering& out, std::span<const Value> q_k_v_mask) {
  if (!out.offers(kCudnnAttention) || p.drops || p.softcap > 0) return {};
  const Value q = with_heads(q_k_v_mask[0], p.heads), k = with_heads(q_k_v_mask[1], p.kv_heads);
  if (!cudnn_takes(q.type(), k.type())) return {};
  const int64_t batch = q.shape()[0], query = q.shape()[1], kv = k.shape()[1];
  const Value& mask = q_k_v_mask[3];
  if (is_float(mask.dtype()) && !broadcasts_to(mask.shape(), {batch, 1, query, kv})) return {};
  const bool is_causal = !p.band.before && p.band.after == 0 && query == kv;
  const double lowest = cudnn_lowest(q.dtype());
  const Value none = full({DType::kFloat32, {batch, 1, query, kv}}, 0);
  const Value bias = masked(none, mask, is_causal ? Band{} : p.band, lowest);
  return AsCudnn{.q = q,
                 .k = k,
                 .v = with_heads(q_k_v_mask[2], p.kv_heads),
                 .bias = convert(maximum(bias, full({DType::kFloat32, {}}, lowest)), q.dtype()),
                 .options = {.scale = p.scale, .is_causal = is_causal}};
}

// The inputs of attention_grad by head, and what its results have in common: with P = exp(scores - lse),
// dP = dropout of dout v^T, dscores = P (dP - sum(dout out)). P = 0 where all keys are hidden.
// source  Dao et al. 2022, arXiv:2205.14135, algorithm 4
struct Backward {
  Value dout, q, k, v;           // [batch, heads, position, head_size]
  Value probabilities, dscores;  // P and dscores, float32 [batch, heads, query, kv]
  Value dproducts;               // dscores times the derivative of the softcap

  Backward(const Parameters& p, std::span<const Value> in)
      : dout(split_heads(in[0], p.heads)),
        q(split_heads(in[1], p.heads)),
        k(split_heads(in[2], p.kv_heads)),
        v(split_heads(in[3], p.kv_heads)) {
    const Value out = split_heads(in[5], p.heads);
    const Value lse = expand_dims(in[6], -1), zero = full({DType::kFloat32, {}}, 0);
    const Value hidden = compare(Direction::kLess, lse, full({DType::kFloat32, {}}, kHidden));
    const Value capped = products_of(p, q, k);
    probabilities = select(hidden, zero, exp(scores_of(p, capped, in[4]) - lse));
    const Value inner = sum(convert(dout, DType::kFloat32) * convert(out, DType::kFloat32), {3}, ReducedAxes::kKeep);
    const Value products = times_transposed(stack_groups(dout, p.kv_heads), v);
    dscores = probabilities * (p.dropped(unstack_groups(products, p.heads), in[7], in[8]) - inner);
    dproducts = dscores;
    if (p.softcap > 0) {
      const Value share = capped / p.softcap;
      dproducts = dscores * (1.0 - share * share);
    }
  }
};

// The gradient of the bias: dscores, summed where the bias is repeated.
Value bias_gradient(const Value& bias, const Value& dscores) {
  const Value repeated = broadcast_to(bias, dscores.shape());
  return backpropagate({&repeated, 1}, {&dscores, 1}, {&bias, 1}, AtWrt::kStop)[0];
}

// attention_grad(dout, q, k, v, mask, out, lse, key, rule): with P and dscores of Backward and D the dropout of P,
//   dv = D^T dout, dq = scale dproducts k, dk = scale dproducts^T q; on request also dscores.
//   shape     those of q, k and v; float32 [batch, heads, query, kv]
//   lowering  the kernels portatune.attention_grad and portatune.attention_bias_grad; cuDNN's, with dscores of the
//             decomposition
struct AttentionGrad final : Composite {
  const Parameters p;
  const bool with_dscores;
  AttentionGrad(const Parameters& p, bool with_dscores) : p(p), with_dscores(with_dscores) {}

  std::string_view name() const override { return "attention_grad"; }

  Values decompose(std::span<const Value> in) const override {
    const DType dtype = in[1].dtype();
    const Backward b(p, in);
    const auto stack = [&](const Value& x) { return stack_groups(x, p.kv_heads); };
    const Value weights = p.dropped(b.probabilities, in[7], in[8]);
    const Value dv = transposed_times(stack(convert(weights, dtype)), stack(b.dout));
    const Value dproducts = stack(convert(b.dproducts * p.scale, dtype));
    const Value dq = unstack_groups(times(dproducts, b.k), p.heads), dk = transposed_times(dproducts, stack(b.q));
    Values results{convert(join_heads(dq), dtype), convert(join_heads(dk), dtype), convert(join_heads(dv), dtype)};
    if (with_dscores) results.push_back(b.dscores);
    return results;
  }
  KernelCall kernel(const Node& node) const override {
    if (!kernels_take(node.input(2), node.input(4))) return kNoKernel;
    return {.target = with_dscores ? "portatune.attention_bias_grad" : "portatune.attention_grad",
            .attributes = p.attributes()};
  }
  std::optional<Values> for_target(const Node& node, const Lowering& lowering) const override {
    const Values& in = node.inputs();
    const auto a = as_cudnn(p, lowering, std::span(in).subspan(1, 4));
    if (!a) return {};
    Values gradients = cudnn_attention_grad({.q = a->q,
                                             .k = a->k,
                                             .v = a->v,
                                             .bias = a->bias,
                                             .out = with_heads(in[5], p.heads),
                                             .lse = in[6],
                                             .dout = with_heads(in[0], p.heads)},
                                            a->options);
    for (size_t i = 0; i < gradients.size(); ++i) gradients[i] = reshape(gradients[i], in[1 + i].shape());
    if (with_dscores) gradients.push_back(Backward(p, in).dscores);  // XLA drops it where the bias needs no gradient
    return gradients;
  }
};

// attention(q, k, v, mask, key, rule): softmax(softcap of scale q k^T + bias) v per head, over the keys that a query
// sees by band and segments; also the log of each row's sum of exponentials, from which the gradient recomputes the
// weights.
//   shape     [batch, query, hidden]; float32 [batch, heads, query]
//   gradient  attention_grad, with bias_gradient() if the bias may need one; none to segments
//   lowering  the kernel portatune.attention; cuDNN's
struct Attention final : Composite {
  const Parameters p;
  explicit Attention(const Parameters& p) : p(p) {}

  std::string_view name() const override { return "attention"; }

  Types infer(std::span<const Value> in) const override {
    const Value &q = in[0], &k = in[1], &v = in[2];
    require(p.softcap >= 0, name(), in, "a softcap of at least 0");
    require(q.rank() == 3 && k.rank() == 3 && k.type() == v.type() && is_float(q.dtype()) && q.dtype() == k.dtype() &&
                q.shape()[0] == k.shape()[0],
            name(), in.first(3), "q [batch, query, hidden], k and v [batch, kv, kv_hidden] of one float type");
    require_heads(in.first(2));
    require_band(in.first(2));
    require(in[4].type() == TensorType{DType::kUInt32, {2}} && in[5].type() == kDropoutRule, name(), in.last(2),
            "a key uint32[2] as fifth operand, and a dropout rule float32[2] as sixth");
    require_mask(in);
    return {q.type(), {DType::kFloat32, {q.shape()[0], p.heads, q.shape()[1]}}};
  }

  void require_heads(std::span<const Value> q_and_k) const {
    const int64_t q_size = q_and_k[0].shape()[2], k_size = q_and_k[1].shape()[2];
    const std::string heads =
        " with " + std::to_string(p.heads) + " heads and " + std::to_string(p.kv_heads) + " kv_heads";
    require(p.kv_heads > 0 && p.heads > 0 && p.heads % p.kv_heads == 0, name(), q_and_k,
            "heads that are a multiple of the kv_heads", heads);
    require(p.dropout_heads >= p.heads, name(), q_and_k, "dropout_heads of at least as many as there are heads", heads);
    require(q_size % p.heads == 0 && q_size / p.heads * p.kv_heads == k_size, name(), q_and_k,
            "q [.., heads * head_size] and k [.., kv_heads * head_size]", heads);
  }

  void require_mask(std::span<const Value> in) const {
    const Shape &q = in[0].shape(), &k = in[1].shape();
    const TensorType& mask = in[3].type();
    const bool is_bias = mask.dtype == DType::kFloat32 && broadcasts_to(mask.shape, {k[0], p.heads, q[1], k[1]});
    const bool is_segments = mask == TensorType{DType::kInt32, {k[0], k[1]}} && q[1] == k[1];
    require(is_bias || is_segments, name(), in.first(4),
            "as fourth operand a float32 bias that can be broadcast to [batch, heads, query, kv], or int32 segments "
            "[batch, kv] where there are as many queries");
  }

  void require_band(std::span<const Value> q_and_k) const {
    const int64_t before = p.band.before.value_or(0), after = p.band.after.value_or(0);
    require(0 <= before && before <= 1 << 30 && 0 <= after && after <= 1 << 30, name(), q_and_k,
            "a band of sizes from 0 to 2^30",
            ", band " + std::to_string(before) + " before and " + std::to_string(after) + " after");
  }

  Values decompose(std::span<const Value> in) const override {
    const Value q = split_heads(in[0], p.heads), k = split_heads(in[1], p.kv_heads), v = split_heads(in[2], p.kv_heads);
    const Value scores = scores_of(p, products_of(p, q, k), in[3]);
    // It is finite even in a row without keys, whose exponentials and sum are then 0.
    const Value highest = maximum(max(scores, {3}, ReducedAxes::kKeep),
                                  full({DType::kFloat32, {}}, std::numeric_limits<float>::lowest()));
    const Value exponentials = exp(scores - highest);
    const Value sums = sum(exponentials, {3}, ReducedAxes::kKeep);
    const Value total = select(compare(Direction::kEqual, sums, full(sums.type(), 0)), full(sums.type(), 1), sums);
    const Value lse = log(total) + highest;
    // exp(scores - lse) would be wrong: in a row whose keys are all hidden, lse is so low that it absorbs the log.
    const Value weights = p.dropped(exponentials / total, in[4], in[5]);
    const Shape& rows = q.shape();
    const Value out = unstack_groups(times(stack_groups(convert(weights, v.dtype()), p.kv_heads), v), p.heads);
    return {convert(join_heads(out), in[0].dtype()), reshape(lse, {rows[0], rows[1], rows[2]})};
  }

  Values gradient(const Node& node, std::span<const Value> dresults) const override {
    require(dresults[0] && !dresults[1], name(), node.inputs(), "a gradient for the first result only");
    const Values& in = node.inputs();
    const Values of_grad{dresults[0], in[0], in[1], in[2], in[3], node.result(0), node.result(1), in[4], in[5]};
    const bool with_dscores = is_float(in[3].dtype()) && may_need_gradient(in[3]);
    Values dinputs = make_nodes(std::make_unique<AttentionGrad>(p, with_dscores), of_grad);
    if (with_dscores) dinputs.back() = bias_gradient(in[3], dinputs.back());
    dinputs.resize(in.size());
    return dinputs;
  }

  KernelCall kernel(const Node& node) const override {
    if (!kernels_take(node.input(1), node.input(3))) return kNoKernel;
    return {.target = "portatune.attention", .attributes = p.attributes()};
  }
  std::optional<Values> for_target(const Node& node, const Lowering& lowering) const override {
    const Values& in = node.inputs();
    const auto a = as_cudnn(p, lowering, std::span(in).first(4));
    if (!a) return {};
    const Values results = cudnn_attention(a->q, a->k, a->v, a->bias, a->options);
    return Values{reshape(results[0], in[0].shape()), results[1]};
  }
};

// The mask in the shape that the kernels take: if it is the same for all heads and queries, the bias [batch, 1, 1, kv]
// that equals it.
Value for_kernels(const Value& mask, const Value& k) {
  if (!is_float(mask.dtype()) || k.rank() != 3) return mask;
  const Shape by_key{k.shape()[0], 1, 1, k.shape()[1]};
  return broadcasts_to(mask.shape(), by_key) ? broadcast_to(mask, by_key) : mask;
}

}  // namespace

Value attention(const Value& q, const Value& k, const Value& v, const Value& mask, const AttentionOptions& options) {
  require_rate("attention", {&q, 1}, options.dropout);
  const bool drops = options.dropout > 0;
  require(!drops || options.key, "attention", {&q, 1}, "a random key if dropout is not 0");
  const Value key = options.key ? options.key : full({DType::kUInt32, {2}}, 0);
  const Value rule = drops && options.dropout_rule ? options.dropout_rule : constant(dropout_rule(options.dropout));
  return make_node<Attention>({q, k, v, for_kernels(mask, k), key, rule},
                              Parameters{.heads = options.heads,
                                         .kv_heads = options.kv_heads,
                                         .dropout_heads = options.dropout_heads,
                                         .scale = options.scale,
                                         .softcap = options.softcap,
                                         .drops = drops,
                                         .band = options.band});
}

}  // namespace portatune

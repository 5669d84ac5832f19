#include "portune/graph/checks.h"
#include "portune/graph/composite.h"
#include "portune/graph/ops/dropout.h"
#include "portune/ops.h"

namespace portune {
namespace {

struct Parameters {
  int64_t heads;
  double scale, dropout;

  Attributes attributes() const {
    return {{"heads", i64_attribute(heads)}, {"scale", f32_attribute(scale)}, {"dropout", f32_attribute(dropout)}};
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

Value keep_last(const Value& x) {
  return reshape(x, [&] {
    Shape s = x.shape();
    s.push_back(1);
    return s;
  }());
}

// attention_grad(dout, q, k, v, bias, out, lse, key): with P = exp(scores - lse), D the dropout of P,
//   dv = D^T dout, dP = dropout of dout v^T, dscores = P (dP - sum(dout out)), dq = scale dscores k,
//   dk = scale dscores^T q. Dao et al. 2022, arXiv:2205.14135, algorithm 4.
//   shape     those of q, k and v
//   lowering  the kernel portune.attention_grad
struct AttentionGrad final : Composite {
  const Parameters p;
  explicit AttentionGrad(const Parameters& p) : p(p) {}

  std::string_view name() const override { return "attention_grad"; }

  Values decompose(std::span<const Value> in) const override {
    const DType dtype = in[1].dtype();
    const Value dout = split_heads(in[0], p.heads), q = split_heads(in[1], p.heads), k = split_heads(in[2], p.heads);
    const Value v = split_heads(in[3], p.heads), out = split_heads(in[5], p.heads);
    const Value probabilities = exp(times_transposed(q, k) * p.scale + in[4] - keep_last(in[6]));
    const auto dropped = [&](const Value& x) { return p.dropout == 0 ? x : drop(x, in[7], p.dropout); };

    const Value dv = transposed_times(convert(dropped(probabilities), dtype), dout);
    const Value inner = sum(convert(dout, DType::kFloat32) * convert(out, DType::kFloat32), {3}, ReducedAxes::kKeep);
    const Value dscores = probabilities * (dropped(times_transposed(dout, v)) - inner) * p.scale;
    const Value rounded = convert(dscores, dtype);
    return {convert(join_heads(times(rounded, k)), dtype), convert(join_heads(transposed_times(rounded, q)), dtype),
            convert(join_heads(dv), dtype)};
  }
  KernelCall kernel(const Node&) const override {
    return {.target = "portune.attention_grad", .attributes = p.attributes()};
  }
};

// attention(q, k, v, bias, key): softmax(scale q k^T + bias) v per head; also the log of each row's sum of
// exponentials, from which the gradient computes the weights again instead of keeping them.
//   shape     [batch, query, hidden]; float32 [batch, heads, query]
//   gradient  attention_grad; none to the bias
//   lowering  the kernel portune.attention
struct Attention final : Composite {
  const Parameters p;
  explicit Attention(const Parameters& p) : p(p) {}

  std::string_view name() const override { return "attention"; }

  Types infer(std::span<const Value> in) const override {
    const Value &q = in[0], &k = in[1], &v = in[2], &bias = in[3];
    require_rate(name(), in, p.dropout);
    require(q.rank() == 3 && k.rank() == 3 && k.type() == v.type() && is_float(q.dtype()) && q.dtype() == k.dtype() &&
                q.shape()[0] == k.shape()[0] && q.shape()[2] == k.shape()[2],
            name(), in.first(3), "q [batch, query, hidden], k and v [batch, kv, hidden] of one float type");
    require(p.heads > 0 && q.shape()[2] % p.heads == 0, name(), in.first(1), "a hidden size that is a multiple of the heads",
            " with " + std::to_string(p.heads) + " heads");
    require(in[4].type() == TensorType{DType::kUInt32, {2}}, name(), in.last(1), "a key uint32[2] as fifth operand");
    require(bias.type() == TensorType{DType::kFloat32, {k.shape()[0], 1, 1, k.shape()[1]}}, name(), in.subspan(2, 2),
            "a float32 bias [batch, 1, 1, kv] as fourth operand");
    return {q.type(), {DType::kFloat32, {q.shape()[0], p.heads, q.shape()[1]}}};
  }

  Values decompose(std::span<const Value> in) const override {
    const Value q = split_heads(in[0], p.heads), k = split_heads(in[1], p.heads), v = split_heads(in[2], p.heads);
    const Value scores = times_transposed(q, k) * p.scale + in[3];
    const Value highest = stop_gradient(max(scores, {3}, ReducedAxes::kKeep));
    const Value exponentials = exp(scores - highest);
    const Value total = sum(exponentials, {3}, ReducedAxes::kKeep);
    const Value lse = log(total) + highest;
    // Not exp(scores - lse): in a row that is hidden as a whole, lse is so low that it absorbs the log.
    Value weights = exponentials / total;
    if (p.dropout > 0) weights = drop(weights, in[4], p.dropout);
    const Shape& rows = q.shape();
    return {convert(join_heads(times(convert(weights, v.dtype()), v)), in[0].dtype()),
            reshape(lse, {rows[0], rows[1], rows[2]})};
  }

  Values gradient(const Node& node, std::span<const Value> dresults) const override {
    require(dresults[0] && !dresults[1], name(), node.inputs(), "a gradient for the first result only");
    const Values& in = node.inputs();
    Values dinputs = make_nodes(std::make_unique<AttentionGrad>(p),
                                {dresults[0], in[0], in[1], in[2], in[3], node.result(0), node.result(1), in[4]});
    dinputs.resize(in.size());
    return dinputs;
  }

  KernelCall kernel(const Node&) const override {
    return {.target = "portune.attention", .attributes = p.attributes()};
  }
};

}  // namespace

Value attention(const Value& q, const Value& k, const Value& v, const Value& bias, const AttentionOptions& options) {
  require(options.dropout == 0 || options.key, "attention", {&q, 1}, "a key, where dropout is not 0");
  const Value key = options.key ? options.key : full({DType::kUInt32, {2}}, 0);
  return make_node<Attention>({q, k, v, bias, key}, Parameters{options.heads, options.scale, options.dropout});
}

}  // namespace portune

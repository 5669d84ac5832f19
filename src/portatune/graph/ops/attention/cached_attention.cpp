#include "portatune/graph/ops/attention/cached_attention.h"

#include "portatune/graph/checks.h"
#include "portatune/graph/composite.h"

namespace portatune {
namespace {

// The keys, or values, that the texts read: x [texts, length, size] at `rows` [texts, length].
Value read_rows(const Value& x, const Value& rows) {
  const Shape& s = x.shape();
  const Value length = full({DType::kInt32, {}}, static_cast<double>(s[1]));
  return gather_rows(reshape(x, {s[0] * s[1], s[2]}), rows * length + iota(rows.type(), 1));
}

// cached_attention(q, k, v, bias, rows): attention() to the keys and values in these rows.
//   shape     that of q
//   lowering  the kernel portatune.cached_attention
struct CachedAttention final : Composite {
  const AttentionOptions options;
  explicit CachedAttention(const AttentionOptions& options) : options(options) {}

  std::string_view name() const override { return "cached_attention"; }

  Types infer(std::span<const Value> in) const override {
    const Value &q = in[0], &k = in[1], &bias = in[3];
    require(options.dropout == 0 && !options.band.before && !options.band.after, name(), in,
            "neither dropout nor a band");
    require(q.rank() == 3 && q.shape()[1] == 1 && k.rank() == 3, name(), in.first(2),
            "q [texts, 1, hidden] and k [texts, length, kv_hidden]");
    require(in[4].type() == TensorType{DType::kInt32, {k.shape()[0], k.shape()[1]}}, name(), in,
            "as fifth operand rows int32 [texts, length]");
    require(bias.rank() == 4 && bias.shape()[3] == k.shape()[1], name(), in,
            "as fourth operand a bias [texts or 1, heads or 1, 1, length]");
    return Composite::infer(in);
  }

  Values decompose(std::span<const Value> in) const override {
    return {attention(in[0], read_rows(in[1], in[4]), read_rows(in[2], in[4]), in[3], options)};
  }

  KernelCall kernel(const Node&) const override {
    return {.target = "portatune.cached_attention",
            .attributes = {{"heads", i64_attribute(options.heads)},
                           {"kv_heads", i64_attribute(options.kv_heads)},
                           {"scale", f32_attribute(options.scale)},
                           {"softcap", f32_attribute(options.softcap)}}};
  }
};

}  // namespace

Value cached_attention(const Value& q, const Value& k, const Value& v, const Value& bias, const Value& rows,
                       const AttentionOptions& options) {
  return make_node<CachedAttention>({q, k, v, bias, rows}, options);
}

}  // namespace portatune

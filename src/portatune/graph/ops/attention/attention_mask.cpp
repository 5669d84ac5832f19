#include "portatune/graph/ops/attention/attention_mask.h"

namespace portatune {
namespace {

// x [batch, heads, query, kv], with `elsewhere` at the keys outside the band.
Value within(const Band& band, const Value& x, double elsewhere) {
  if (!band.before && !band.after) return x;
  const TensorType type{DType::kInt32, {x.shape()[2], x.shape()[3]}};
  const Value distance = iota(type, 1) - iota(type, 0) - full({DType::kInt32, {}}, type.shape[1] - type.shape[0]);
  Value seen = full({DType::kBool, type.shape}, true);
  const auto restrict = [&](Direction direction, int64_t limit) {
    seen = bitwise_and(seen, compare(direction, distance, full({DType::kInt32, {}}, limit)));
  };
  if (band.before) restrict(Direction::kGreaterEqual, -*band.before);
  if (band.after) restrict(Direction::kLessEqual, *band.after);
  return select(seen, x, full({x.dtype(), {}}, elsewhere));
}

// x [batch, heads, query, kv], with `elsewhere` at keys of other segments and at padding.
Value within_segments(const Value& segments, const Value& x, double elsewhere) {
  const Shape& s = segments.shape();
  const Value of_query = reshape(segments, {s[0], 1, s[1], 1}), of_key = reshape(segments, {s[0], 1, 1, s[1]});
  const Value is_text = compare(Direction::kNotEqual, of_key, full({DType::kInt32, {}}, 0));
  const Value seen = bitwise_and(compare(Direction::kEqual, of_query, of_key), is_text);  // [batch, 1, query, kv]
  return select(seen, x, full({x.dtype(), {}}, elsewhere));
}

}  // namespace

Value masked(const Value& scores, const Value& mask, const Band& band, double unseen) {
  const bool is_segments = !is_float(mask.dtype());
  return within(band, is_segments ? within_segments(mask, scores, unseen) : scores + mask, unseen);
}

}  // namespace portatune

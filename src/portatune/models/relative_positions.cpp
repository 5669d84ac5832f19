#include "portatune/models/relative_positions.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "portatune/ops.h"

namespace portatune::models {
namespace {

// The weights of the distances 1 - length, ..., length - 1: [2 length - 1, heads of the device].
Value weights_of_distances(const nn::Scope& s, const RelativeBias& bias, int64_t length) {
  nn::share(s, "attention heads", bias.heads);
  const nn::Initializer normal{nn::Initializer::Kind::kNormal, bias.initializer_scale * s.options().initializer_range};
  const Value weight = s.parameter("weight", {bias.buckets.num_buckets, bias.heads}, normal, nn::Split{.axis = 1});
  std::vector<int32_t> ids;
  for (int64_t distance = 1 - length; distance < length; ++distance) {
    ids.push_back(static_cast<int32_t>(bias.buckets.bucket_of(distance)));
  }
  return gather_rows(weight, constant(Tensor({std::ssize(ids)}, std::span<const int32_t>(ids))));
}

}  // namespace

int64_t RelativeBuckets::bucket_of(int64_t distance) const {
  const int64_t count = is_bidirectional ? num_buckets / 2 : num_buckets, exact = count / 2;
  const int64_t first = is_bidirectional && distance > 0 ? count : 0;
  const int64_t size = is_bidirectional ? std::abs(distance) : std::max<int64_t>(-distance, 0);
  if (size < exact) return first + size;
  const double position = std::log(static_cast<double>(size) / static_cast<double>(exact)) /
                          std::log(static_cast<double>(max_distance) / static_cast<double>(exact));
  const auto beyond = static_cast<int64_t>(position * static_cast<double>(count - exact));
  return first + std::min(exact + beyond, count - 1);
}

int64_t LogBuckets::bucket_of(int64_t distance) const {
  const int64_t exact = num_buckets / 2, size = std::abs(distance);
  if (num_buckets <= 0 || size <= exact) return distance;
  const double position = std::log(static_cast<double>(size) / static_cast<double>(exact)) /
                          std::log(static_cast<double>(max_distance - 1) / static_cast<double>(exact));
  const auto beyond = static_cast<int64_t>(std::ceil(position * static_cast<double>(exact - 1)));
  return distance > 0 ? exact + beyond : -exact - beyond;
}

// Joins the rows of x and cuts them again into rows that are one element shorter. Each row of the result therefore
// begins one element earlier in its row of x than the row before it.
Value shear(const Value& x) {
  Shape shape = x.shape();
  const int64_t query = shape[shape.rank() - 2], width = shape.back(), kv = width - query;
  const Value flat = reshape(x, {-1, query * width});
  const Value from_first = slice(flat, 1, {query - 1, query - 1 + query * (width - 1)});
  shape[shape.rank() - 1] = width - 1;
  return slice(reshape(from_first, shape), -1, {0, kv});
}

Value toeplitz(const Value& x, int64_t query, int64_t kv) {
  const int64_t heads = x.shape()[0], width = query + kv;
  const Value padded = reshape(pad(x, 1, 0, 1), {heads, 1, width});
  return shear(broadcast_to(padded, {heads, query, width}));
}

Value relative_bias(const nn::Scope& s, const RelativeBias& bias, int64_t length) {
  const Value weights = transpose(weights_of_distances(s, bias, length), {1, 0});
  return expand_dims(toeplitz(weights, length, length), 0);
}

Value relative_bias_at(const nn::Scope& s, const RelativeBias& bias, int64_t length, const Value& start) {
  const Value first = full({DType::kInt32, {}}, static_cast<double>(length - 1)) - start;
  const Value row = dynamic_slice(weights_of_distances(s, bias, length), 0, first, length);
  return reshape(transpose(row, {1, 0}), {1, -1, 1, length});
}

}  // namespace portatune::models

#include "portatune/generate/processors.h"

#include <functional>

namespace portatune::generate {
namespace {

// A token so far below the highest logit has practically no chance to be sampled.
constexpr double kSpan = 100;
// Thresholds are exact to 100 / 2^32, less than the distance of two different logits of usual size.
constexpr int32_t kHalvings = 32;

Value like(const Value& x, double value) { return full({x.dtype(), {}}, value); }

// For each row, the highest threshold t [rows, 1] for which `holds` is true; it must be true for low thresholds.
// Halving an interval takes one pass over the logits per bit of a number. Sorting a vocabulary takes many times as
// long. The threshold may depend on values known only at run time.
Value highest_threshold(const Value& logits, const std::function<Value(const Value& threshold)>& holds) {
  const Value highest = max(logits, {1}, ReducedAxes::kKeep);
  const auto unfinished = [](const Values& x) {
    return compare(Direction::kLess, x[0], full({DType::kInt32, {}}, kHalvings));
  };
  const auto halve = [&](const Values& x) -> Values {
    const Value middle = (x[1] + x[2]) * 0.5;
    const Value low_enough = holds(middle);
    return {x[0] + full({DType::kInt32, {}}, 1), select(low_enough, middle, x[1]), select(low_enough, x[2], middle)};
  };
  // If `holds` is false even at the lower end, the result is the lower end: only tokens above it have a chance.
  return while_loop({full({DType::kInt32, {}}, 0), highest - kSpan, highest}, unfinished, halve)[1];
}

Value exclude_below(const Value& logits, const Value& threshold) {
  return select(compare(Direction::kLess, logits, threshold), like(logits, kExcluded), logits);
}

}  // namespace

Value repetition_penalty(const Value& logits, const Value& seen, const Value& penalty) {
  const Value negative = compare(Direction::kLess, logits, like(logits, 0));
  return select(seen, select(negative, logits * penalty, logits / penalty), logits);
}

Value keep_top_k(const Value& logits, const Value& k) {
  const Value wanted = convert(k, DType::kFloat32);
  // The k-th highest logit is the highest threshold that at least k logits reach.
  const Value threshold = highest_threshold(logits, [&](const Value& t) {
    const Value reach = convert(compare(Direction::kGreaterEqual, logits, t), DType::kFloat32);
    return compare(Direction::kGreaterEqual, sum(reach, {1}, ReducedAxes::kKeep), wanted);
  });
  const Value all = compare(Direction::kEqual, k, full(k.type(), 0));
  return select(all, logits, exclude_below(logits, threshold));
}

Value keep_top_p(const Value& logits, const Value& p) {
  const Value weights = exp(logits - max(logits, {1}, ReducedAxes::kKeep));
  // Tokens below the threshold go if their probabilities sum to at most 1 - p. The comparison uses the sum of the
  // tokens that stay, because it does not consist of many small numbers.
  const Value needed = sum(weights, {1}, ReducedAxes::kKeep) * p;
  const Value threshold = highest_threshold(logits, [&](const Value& t) {
    const Value kept = select(compare(Direction::kGreaterEqual, logits, t), weights, like(weights, 0));
    return compare(Direction::kGreaterEqual, sum(kept, {1}, ReducedAxes::kKeep), needed);
  });
  const Value all = compare(Direction::kGreaterEqual, p, like(p, 1));
  return select(all, logits, exclude_below(logits, threshold));
}

}  // namespace portatune::generate

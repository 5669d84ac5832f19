#include "portatune/generate/processors.h"

#include <functional>

namespace portatune::generate {
namespace {

// A token so far below the highest has no chance to be drawn.
constexpr double kSpan = 100;
// So that thresholds are found to 100 / 2^32, which is less than two different logits of usual size are apart.
constexpr int32_t kHalvings = 32;

Value like(const Value& x, double value) { return full({x.dtype(), {}}, value); }

// For each row the highest threshold t [rows, 1] for which `holds`, which is true of thresholds that are low enough. By
// halving an interval: that takes as many passes over the logits as a number has bits, where sorting a vocabulary takes
// many times that, and it works with thresholds that are known at run time.
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
  // Where not even the lower end holds, it is the result: the tokens that reach it are all that have a chance.
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
  // As long as at least k logits reach the threshold, the k-th highest does.
  const Value threshold = highest_threshold(logits, [&](const Value& t) {
    const Value reach = convert(compare(Direction::kGreaterEqual, logits, t), DType::kFloat32);
    return compare(Direction::kGreaterEqual, sum(reach, {1}, ReducedAxes::kKeep), wanted);
  });
  const Value all = compare(Direction::kEqual, k, full(k.type(), 0));
  return select(all, logits, exclude_below(logits, threshold));
}

Value keep_top_p(const Value& logits, const Value& p) {
  const Value weights = exp(logits - max(logits, {1}, ReducedAxes::kKeep));
  // Tokens below the threshold may be excluded as long as they have at most 1 - p; the comparison is by those that
  // stay, whose sum is not made of many small numbers.
  const Value needed = sum(weights, {1}, ReducedAxes::kKeep) * p;
  const Value threshold = highest_threshold(logits, [&](const Value& t) {
    const Value kept = select(compare(Direction::kGreaterEqual, logits, t), weights, like(weights, 0));
    return compare(Direction::kGreaterEqual, sum(kept, {1}, ReducedAxes::kKeep), needed);
  });
  const Value all = compare(Direction::kGreaterEqual, p, like(p, 1));
  return select(all, logits, exclude_below(logits, threshold));
}

}  // namespace portatune::generate

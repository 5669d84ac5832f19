#include "portatune/generate/search/processors.h"

#include <functional>

#include "portatune/generate/search/search.h"
#include "portatune/graph/ops/reductions/log_sum_exp.h"

namespace portatune::generate {
namespace {

// A token so far below the highest logit has practically no chance to be sampled.
constexpr double kSpan = 100;
// Thresholds are exact to 100 / 2^32, less than the distance of two different logits of usual size.
constexpr int32_t kHalvings = 32;

Value like(const Value& x, double value) { return full({x.dtype(), {}}, value); }

// For each row, the highest threshold t [rows, 1] at which `holds` is true, or highest - kSpan if it is true at none
// above that: only tokens above it have a chance. Above a threshold at which `holds` is false, it must be false, too.
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
  return while_loop({full({DType::kInt32, {}}, 0), highest - kSpan, highest}, unfinished, halve)[1];
}

Value exclude(const Value& logits, const Value& excluded) { return select(excluded, like(logits, kExcluded), logits); }

Value exclude_below(const Value& logits, const Value& threshold) {
  return exclude(logits, compare(Direction::kLess, logits, threshold));
}

Value is_below(const Value& x, int64_t limit) { return compare(Direction::kLess, x, scalar(limit)); }

// Whether the token `count` before the end of the texts is a time.
Value is_time_before_end(const GrowingTokens& text, int64_t count, const Value& zero) {
  const Value position = maximum(text.end - scalar(count), scalar(0));
  return compare(Direction::kGreaterEqual, dynamic_slice(text.tokens, 1, position, 1), zero);
}

// The lowest time that may follow. The last time is the highest one; after a part has ended, the next one may begin at
// the same time.
Value lowest_time(const GrowingTokens& text, const Value& first, const Value& zero, const Value& ends_part) {
  const Value position = iota({DType::kInt32, {1, text.tokens.shape()[1]}}, 1);
  const Value is_before_new = compare(Direction::kLess, position, first);
  const Value is_new = bitwise_and(logical_not(is_before_new), compare(Direction::kLess, position, text.end));
  const Value last = max(select(is_new, text.tokens, scalar(-1)), {1}, ReducedAxes::kKeep);
  return maximum(zero, last + select(ends_part, scalar(0), scalar(1)));
}

// Whether a text may not begin with a token.
Value not_initial(const Value& id, const Value& is_time, const TimeTokens& times) {
  const Value is_text = logical_not(is_time);
  if (!times.max_initial) return is_text;
  return bitwise_or(is_text, compare(Direction::kGreater, id, scalar(times.first + *times.max_initial)));
}

// Excludes the other tokens where all times together are more probable than each of them.
Value prefer_times(const Value& logits, const Value& is_time) {
  const auto highest = [](const Value& of) { return max(of, {1}, ReducedAxes::kKeep); };
  const Value of_times = expand_dims(log_sum_exp(exclude(logits, logical_not(is_time))), -1);
  const Value is_more = compare(Direction::kGreater, of_times, highest(exclude(logits, is_time)));
  return exclude(logits, bitwise_and(is_more, logical_not(is_time)));
}

}  // namespace

Value repetition_penalty(const Value& logits, const Value& seen, const Value& penalty) {
  const Value negative = compare(Direction::kLess, logits, like(logits, 0));
  return select(seen, select(negative, logits * penalty, logits / penalty), logits);
}

Value token_set(const Value& ids, const Value& is_in, int64_t vocab_size) {
  const int64_t rows = ids.shape()[0];
  const Value first = iota({DType::kInt32, {rows, 1}}, 0) * scalar(vocab_size);
  const Value counts =
      scatter_add_rows(ids + first, expand_dims(convert(is_in, DType::kFloat32), -1), rows * vocab_size);
  return compare(Direction::kGreater, reshape(counts, {rows, vocab_size}), full({DType::kFloat32, {}}, 0));
}

Value exclude_repeated_ngrams(const Value& logits, const GrowingTokens& text, const Value& size) {
  const Shape& shape = text.tokens.shape();
  const Value padded = pad(text.tokens, 1, 0, shape[1]);
  const auto token_after = [&](const Value& distance) { return dynamic_slice(padded, 1, distance, shape[1]); };
  const Value begin = iota({DType::kInt32, shape}, 1);
  // The n-grams of the text, by their first positions.
  const Value is_ngram = bitwise_and(compare(Direction::kGreaterEqual, begin, expand_dims(text.padding, -1)),
                                     compare(Direction::kLessEqual, begin + size, text.end));
  // Compares the first size - 1 tokens of each with the last ones of the text.
  const Value last = minimum(size, scalar(shape[1])) - scalar(1), suffix = text.end - last;
  const auto more = [&](const Values& x) { return compare(Direction::kLess, x[0], last); };
  const auto compare_token = [&](const Values& x) -> Values {
    const Value wanted = dynamic_slice(text.tokens, 1, suffix + x[0], 1);
    return {x[0] + scalar(1), bitwise_and(x[1], compare(Direction::kEqual, token_after(x[0]), wanted))};
  };
  const Value repeats = while_loop({scalar(0), is_ngram}, more, compare_token)[1];
  return exclude(logits, token_set(token_after(last), repeats, logits.shape()[1]));
}

Value exclude_bad_words(const Value& logits, const GrowingTokens& text, const Value& words) {
  const int64_t rows = logits.shape()[0], count = words.shape()[0], before = words.shape()[1] - 1;
  const Value last = reshape(slice(words, 1, {before, before + 1}), {1, count});
  Value completes = broadcast_to(compare(Direction::kGreaterEqual, last, scalar(0)), {rows, count});
  if (before > 0) {
    const Value position = text.end - scalar(before) + iota({DType::kInt32, {1, before}}, 1);
    const Value tokens = dynamic_slice(pad(text.tokens, 1, before, 0), 1, text.end, before);
    const Value is_text = compare(Direction::kGreaterEqual, position, expand_dims(text.padding, -1));
    const Value prefix = expand_dims(slice(words, 1, {0, before}), 0);
    const Value is_same =
        bitwise_and(expand_dims(is_text, 1), compare(Direction::kEqual, expand_dims(tokens, 1), prefix));
    const Value differs = logical_not(bitwise_or(is_same, compare(Direction::kLess, prefix, scalar(0))));
    completes =
        bitwise_and(completes, compare(Direction::kEqual, max(convert(differs, DType::kInt32), {2}), scalar(0)));
  }
  return exclude(logits, token_set(broadcast_to(last, {rows, count}), completes, logits.shape()[1]));
}

Value restrict(const Value& logits, const Value& position, const Restrictions& r) {
  const int64_t prompts = r.begin.shape()[0], n = logits.shape()[0] / prompts;
  const auto where = [&](Direction direction, const Value& positions) {
    return expand_dims(repeat_rows(compare(direction, position, positions), n), -1);
  };
  const auto force = [&](const Value& x, const Value& positions, const Value& tokens) {
    const Value forced = select(tokens, like(x, 0), like(x, kExcluded));
    return select(where(Direction::kEqual, positions), forced, x);
  };
  Value x = exclude(logits, bitwise_and(where(Direction::kLess, r.eos_from), r.eos));
  x = force(x, r.forced_bos, r.bos_tokens);
  x = force(x, r.forced_eos, r.eos_tokens);
  return exclude(x, bitwise_or(r.suppressed, bitwise_and(where(Direction::kEqual, r.begin), r.begin_suppressed)));
}

Value keep_time_rules(const Value& logits, const GrowingTokens& text, const Value& first, const TimeTokens& times) {
  const Value id = iota({DType::kInt32, {1, logits.shape()[1]}}, 1), zero = scalar(times.first);
  const Value is_time = compare(Direction::kGreaterEqual, id, zero), count = text.end - first;
  const Value after_time = bitwise_and(logical_not(is_below(count, 1)), is_time_before_end(text, 1, zero));
  const Value begins_part = bitwise_or(is_below(count, 2), is_time_before_end(text, 2, zero));
  const Value ends_part = bitwise_and(after_time, logical_not(begins_part));
  const Value too_early =
      bitwise_and(is_time, compare(Direction::kLess, id, lowest_time(text, first, zero, ends_part)));
  const Value is_third_time = bitwise_and(bitwise_and(after_time, begins_part), is_time);
  const Value is_text_in_pair = bitwise_and(ends_part, is_below(id, times.end));
  const Value is_no_timestamps = compare(Direction::kEqual, id, scalar(times.first - 1));
  const Value at_begin = bitwise_and(compare(Direction::kEqual, count, scalar(0)), not_initial(id, is_time, times));

  Value excluded = too_early;
  for (const Value& rule : {is_third_time, is_text_in_pair, is_no_timestamps, at_begin}) {
    excluded = bitwise_or(excluded, rule);
  }
  return prefer_times(exclude(logits, excluded), is_time);
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

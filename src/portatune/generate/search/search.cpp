#include "portatune/generate/search/search.h"

#include <limits>
#include <numeric>

#include "portatune/generate/search/beam_search.h"
#include "portatune/generate/search/plain_search.h"
#include "portatune/generate/search/processors.h"

namespace portatune::generate {

Values State::flat() const {
  Values values{position, tokens, finite, padding};
  if (seen) values.push_back(seen);
  if (logprob) values.push_back(logprob);
  for (const Values* part : {&search, &cache.keys, &cache.values}) {
    values.insert(values.end(), part->begin(), part->end());
  }
  if (cache.rows) values.push_back(cache.rows);
  return values;
}

State State::with(const Values& values) const {
  auto next = values.begin();
  const auto take = [&](const Values& like) {
    const Values part(next, next + static_cast<std::ptrdiff_t>(like.size()));
    next += static_cast<std::ptrdiff_t>(like.size());
    return part;
  };
  State state;
  state.position = *next++;
  state.tokens = *next++;
  state.finite = *next++;
  state.padding = *next++;
  if (seen) state.seen = *next++;
  if (logprob) state.logprob = *next++;
  state.search = take(search);
  state.cache.keys = take(cache.keys);
  state.cache.values = take(cache.values);
  if (cache.rows) state.cache.rows = *next;
  return state;
}

std::unique_ptr<Search> make_search(const SearchKind& kind) {
  return kind.beams > 1 ? beam_search(kind) : plain_search(kind);
}

Value scalar(int64_t value) { return full({DType::kInt32, {}}, static_cast<double>(value)); }

Value any(const Value& x) {
  std::vector<int64_t> axes(static_cast<size_t>(x.rank()));
  std::iota(axes.begin(), axes.end(), 0);
  return compare(Direction::kNotEqual, max(convert(x, DType::kInt32), axes), scalar(0));
}

Value all(const Value& x) { return logical_not(any(logical_not(x))); }

Value all_finite(const Value& x) {
  const Value largest = full({DType::kFloat32, {}}, std::numeric_limits<float>::max());
  return all(compare(Direction::kLessEqual, abs(convert(x, DType::kFloat32)), largest));  // false for NaN
}

Value repeat_rows(const Value& x, int64_t n) {
  if (n == 1) return x;
  Shape wide = x.shape(), flat = x.shape();
  wide.insert(1, n);
  flat[0] *= n;
  return reshape(broadcast_to(expand_dims(x, 1), wide), flat);
}

Value process(const SearchKind& kind, const State& state, const Value& logits, const Settings& s) {
  const GrowingTokens text{.tokens = state.tokens, .padding = state.padding, .end = state.position};
  Value x = logits;
  if (kind.penalises) x = repetition_penalty(x, state.seen, s.repetition_penalty);
  if (kind.bans_ngrams) x = exclude_repeated_ngrams(x, text, s.ngram_size);
  if (kind.bad_words != 0) x = exclude_bad_words(x, text, s.bad_words);
  if (kind.restricts) x = restrict(x, state.position, s.restrictions);
  if (kind.times) x = keep_time_rules(x, text, s.first, *kind.times);
  return x;
}

Value ends_text(const Value& ids, const Value& eos_token_id) {
  const Value matches = convert(compare(Direction::kEqual, expand_dims(ids, -1), eos_token_id), DType::kInt32);
  return compare(Direction::kNotEqual, max(matches, {ids.rank()}), scalar(0));
}

Value write_column(const Value& tokens, const Value& ids, const Value& position) {
  return dynamic_update_slice(tokens, expand_dims(ids, -1), 1, position);
}

Value see(const Value& seen, const Value& ids) {
  const Value token = iota({DType::kInt32, {1, seen.shape()[1]}}, 1);
  return bitwise_or(seen, compare(Direction::kEqual, token, expand_dims(ids, -1)));
}

}  // namespace portatune::generate

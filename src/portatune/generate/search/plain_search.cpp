#include "portatune/generate/search/plain_search.h"

#include "portatune/generate/search/processors.h"
#include "portatune/generate/search/sampling.h"
#include "portatune/graph/ops/reductions/log_sum_exp.h"

namespace portatune::generate {
namespace {

// Only excluded tokens have a lower logit, divided by any temperature.
constexpr double kFarBelowLogits = -1e20;

// The logarithms of the probabilities of tokens among those of the logits, float32 [rows].
// ids  int32 [rows]
Value logprobs_of(const Value& logits, const Value& ids) {
  const Value is_chosen =
      compare(Direction::kEqual, iota({DType::kInt32, {1, logits.shape()[1]}}, 1), expand_dims(ids, -1));
  return sum(select(is_chosen, logits, full({DType::kFloat32, {}}, 0)), {1}) - log_sum_exp(logits);
}

// The logits of the tokens that the scores do not exclude.
Value without_excluded(const Value& logits, const Value& scores) {
  const auto number = [](double value) { return full({DType::kFloat32, {}}, value); };
  return select(compare(Direction::kLess, scores, number(kFarBelowLogits)), number(kExcluded), logits);
}

// search = {finished}, bool [rows].
class PlainSearch final : public Search {
 public:
  explicit PlainSearch(const SearchKind& kind) : kind_(kind) {}

  int64_t rows_per_prompt() const override { return 1; }
  Values start(const Value& is_text, int64_t) const override { return {logical_not(is_text)}; }

  State add_token(const State& state, const Value& logits, const Settings& settings) const override {
    const Value& finished = state.search[0];
    const Value allowed = allowed_logits(state, logits, settings);
    const Value scores = kind_.samples ? at_temperature(allowed, settings) : allowed;
    const Value best = kind_.samples ? sample(scores, {settings.key, settings.numbers, state.position - settings.first})
                                     : most_probable(scores);
    const Value chosen = select(finished, settings.pad_token_id, best);
    State next = state;
    next.tokens = write_column(state.tokens, chosen, state.position);
    next.position = state.position + scalar(1);
    const Value at_end = compare(Direction::kGreaterEqual, next.position, settings.end);
    next.search = {bitwise_or(finished, bitwise_or(ends_text(chosen, settings.eos_token_id), at_end))};
    if (state.seen) next.seen = see(state.seen, chosen);
    if (state.logprob) {
      const Value logprob = logprobs_of(kind_.keeps_top_p ? without_excluded(allowed, scores) : allowed, best);
      next.logprob = state.logprob + select(finished, full(logprob.type(), 0), logprob);
    }
    return next;
  }

  Value unfinished(const State& state) const override { return logical_not(all(state.search[0])); }

 private:
  // The logits of the tokens that may come next, at temperature 1. The k highest ones are the same at all temperatures.
  Value allowed_logits(const State& state, const Value& logits, const Settings& s) const {
    const Value allowed = process(kind_, state, logits, s);
    return kind_.keeps_top_k ? keep_top_k(allowed, s.top_k) : allowed;
  }

  Value at_temperature(const Value& logits, const Settings& s) const {
    const Value scores = logits / s.temperature;
    return kind_.keeps_top_p ? keep_top_p(scores, s.top_p) : scores;
  }

  const SearchKind kind_;
};

}  // namespace

std::unique_ptr<Search> plain_search(const SearchKind& kind) { return std::make_unique<PlainSearch>(kind); }

}  // namespace portatune::generate

#include "portatune/generate/search/plain_search.h"

#include "portatune/generate/search/processors.h"
#include "portatune/generate/search/sampling.h"

namespace portatune::generate {
namespace {

// The logarithms of the probabilities of tokens among those of the logits, float32 [rows].
// ids  int32 [rows]
Value logprobs_of(const Value& logits, const Value& ids) {
  const Value is_chosen =
      compare(Direction::kEqual, iota({DType::kInt32, {1, logits.shape()[1]}}, 1), expand_dims(ids, -1));
  const Value logit = max(select(is_chosen, logits, full({DType::kFloat32, {}}, kExcluded)), {1}, ReducedAxes::kKeep);
  return reshape(logit - log_total(logits), ids.shape());
}

// search = {finished}, bool [rows].
class PlainSearch final : public Search {
 public:
  explicit PlainSearch(const SearchKind& kind) : kind_(kind) {}

  int64_t rows_per_prompt() const override { return 1; }
  Values start(const Value& is_text, int64_t) const override { return {logical_not(is_text)}; }

  State add_token(const State& state, const Value& logits, const Settings& settings) const override {
    const Value& finished = state.search[0];
    const Value scores = scores_of(state, logits, settings);
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
      const Value logprob = logprobs_of(kind_.samples ? scores * settings.temperature : scores, best);
      next.logprob = state.logprob + select(finished, full(logprob.type(), 0), logprob);
    }
    return next;
  }

  Value unfinished(const State& state) const override { return logical_not(all(state.search[0])); }

 private:
  // The logits by which a token is chosen.
  Value scores_of(const State& state, Value logits, const Settings& s) const {
    logits = process(kind_, state, logits, s);
    if (!kind_.samples) return logits;
    // The k highest logits are the same at all temperatures. At low ones keep_top_k() would lose those far below.
    if (kind_.keeps_top_k) logits = keep_top_k(logits, s.top_k);
    logits = logits / s.temperature;
    if (kind_.keeps_top_p) logits = keep_top_p(logits, s.top_p);
    return logits;
  }

  const SearchKind kind_;
};

}  // namespace

std::unique_ptr<Search> plain_search(const SearchKind& kind) { return std::make_unique<PlainSearch>(kind); }

}  // namespace portatune::generate

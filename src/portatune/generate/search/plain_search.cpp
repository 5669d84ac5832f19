#include "portatune/generate/search/plain_search.h"

#include "portatune/generate/search/processors.h"
#include "portatune/generate/search/sampling.h"

namespace portatune::generate {
namespace {

// search = {finished}, bool [rows].
class PlainSearch final : public Search {
 public:
  explicit PlainSearch(const SearchKind& kind) : kind_(kind) {}

  int64_t rows_per_prompt() const override { return 1; }
  Values start(const Value& is_text, int64_t) const override { return {logical_not(is_text)}; }

  State add_token(const State& state, const Value& logits, const Settings& settings) const override {
    const Value& finished = state.search[0];
    const Value chosen = select(finished, settings.pad_token_id, choose(state, logits, settings));
    State next = state;
    next.tokens = write_column(state.tokens, chosen, state.position);
    next.position = state.position + scalar(1);
    const Value at_end = compare(Direction::kGreaterEqual, next.position, settings.end);
    next.search = {bitwise_or(finished, bitwise_or(ends_text(chosen, settings.eos_token_id), at_end))};
    if (state.seen) next.seen = see(state.seen, chosen);
    return next;
  }

  Value unfinished(const State& state) const override { return logical_not(all(state.search[0])); }

 private:
  Value choose(const State& state, Value logits, const Settings& s) const {
    logits = process(kind_, state, logits, s);
    if (!kind_.samples) return most_probable(logits);
    logits = logits / s.temperature;
    if (kind_.keeps_top_k) logits = keep_top_k(logits, s.top_k);
    if (kind_.keeps_top_p) logits = keep_top_p(logits, s.top_p);
    return sample(logits, {s.key, s.numbers, state.position - s.first});
  }

  const SearchKind kind_;
};

}  // namespace

std::unique_ptr<Search> plain_search(const SearchKind& kind) { return std::make_unique<PlainSearch>(kind); }

}  // namespace portatune::generate

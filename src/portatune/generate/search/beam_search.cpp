#include "portatune/generate/search/beam_search.h"

#include <algorithm>

#include "portatune/generate/search/processors.h"
#include "portatune/generation.h"
#include "portatune/graph/ops/reductions/log_sum_exp.h"

namespace portatune::generate {
namespace {

// The score of an excluded text. It is finite, so that sums of it are not NaN.
constexpr double kNever = -1e9;

Value f32(double value) { return full({DType::kFloat32, {}}, value); }
Value penalty_where(const Value& condition) { return select(condition, f32(kNever), f32(0)); }

// Gathers x [prompts, n, ...] at `indices` [prompts, m] of its second axis: [prompts, m, ...].
Value pick(const Value& x, const Value& indices) {
  const Shape& s = x.shape();
  const Shape& wanted = indices.shape();
  const Value row = iota({DType::kInt32, {s[0], 1}}, 0) * scalar(s[1]) + indices;
  Shape shape = s;
  shape[1] = wanted[1];
  return reshape(gather_rows(reshape(x, {s[0] * s[1], -1}), row), shape);
}

Value pick_bools(const Value& x, const Value& indices) {
  return compare(Direction::kNotEqual, pick(convert(x, DType::kInt32), indices), scalar(0));
}

// Scored texts: [prompts, n] each, tokens [prompts, n, length].
struct Texts {
  Value scores, tokens, ended, lengths;
  Value logprobs;  // sums over the new tokens; absent unless the search scores texts

  Texts at(const Value& indices) const {
    return {pick(scores, indices), pick(tokens, indices), pick_bools(ended, indices), pick(lengths, indices),
            logprobs ? pick(logprobs, indices) : Value()};
  }
};

Texts join(const Texts& a, const Texts& b) {
  return {concatenate({a.scores, b.scores}, 1), concatenate({a.tokens, b.tokens}, 1),
          concatenate({a.ended, b.ended}, 1), concatenate({a.lengths, b.lengths}, 1),
          a.logprobs ? concatenate({a.logprobs, b.logprobs}, 1) : Value()};
}

// The content of State::search, in this order.
struct Beams {
  Value scores;       // float32 [prompts, beams]: log-probabilities of the running texts
  Texts ended;        // the best so far
  Value can_improve;  // bool [prompts]: a running text may yet beat an ended one
  Value logprobs;     // float32 [prompts, beams]: as those of Texts

  static Beams of(const Values& v) {
    const bool has_logprobs = v.size() > kEndedLogprobs;
    const Texts ended{.scores = v[2],
                      .tokens = v[kEndedTokens],
                      .ended = v[4],
                      .lengths = v[kEndedLengths],
                      .logprobs = has_logprobs ? v[kEndedLogprobs] : Value()};
    return {.scores = v[0], .ended = ended, .can_improve = v[5], .logprobs = has_logprobs ? v[7] : Value()};
  }
  Values flat() const {
    Values values{scores, ended.tokens, ended.scores, ended.lengths, ended.ended, can_improve};
    if (logprobs) values.insert(values.end(), {ended.logprobs, logprobs});
    return values;
  }
};

// The most probable continuations of the running texts by one token, the best first.
struct Candidates {
  Texts texts;  // `ended`: by this token
  Value beams;  // int32 [prompts, n]: the running text that each continues
};

Value power_of(const Value& length, const Value& exponent) { return power(convert(length, DType::kFloat32), exponent); }

class BeamSearch final : public Search {
 public:
  explicit BeamSearch(const SearchKind& kind)
      : kind_(kind), n_(kind.beams), candidates_((1 + kind.eos_tokens) * kind.beams) {}

  int64_t rows_per_prompt() const override { return n_; }

  Values start(const Value& is_text, int64_t length) const override {
    const int64_t prompts = is_text.shape()[0];
    const Shape beams{prompts, n_};
    // All texts of a prompt are still equal, so only the first is continued.
    const Value first = compare(Direction::kEqual, iota({DType::kInt32, beams}, 1), scalar(0));
    const Value zero_logprobs = kind_.scores ? full({DType::kFloat32, beams}, 0) : Value();
    const Texts ended{.scores = full({DType::kFloat32, beams}, kNever),
                      .tokens = full({DType::kInt32, {prompts, n_, length}}, 0),
                      .ended = full({DType::kBool, beams}, 0),
                      .lengths = full({DType::kInt32, beams}, 0),
                      .logprobs = zero_logprobs};
    return Beams{
        .scores = penalty_where(logical_not(first)), .ended = ended, .can_improve = is_text, .logprobs = zero_logprobs}
        .flat();
  }

  State add_token(const State& state, const Value& logits, const Settings& s) const override {
    Beams beams = Beams::of(state.search);
    const Candidates candidates = continuations(state, beams, logits, s);
    const Value running_scores = candidates.texts.scores + penalty_where(candidates.texts.ended);
    const Value selected = top_k(running_scores, n_).indices;

    State next = next_state(state, candidates, selected);
    beams.scores = pick(running_scores, selected);
    if (beams.logprobs) beams.logprobs = pick(candidates.texts.logprobs, selected);
    beams.ended = best_ended(beams, candidates.texts, s);
    beams.can_improve = can_improve(beams, next.position, s);
    next.search = beams.flat();
    return next;
  }

  Value unfinished(const State& state) const override { return any(Beams::of(state.search).can_improve); }

 private:
  Candidates continuations(const State& state, const Beams& beams, const Value& logits, const Settings& s) const {
    const Value scores = process(kind_, state, logits - expand_dims(log_sum_exp(logits), -1), s);
    // The best continuations of a prompt are among the best of each of its texts.
    const int64_t prompts = beams.scores.shape()[0], each = std::min(candidates_, logits.shape()[1]);
    const TopK of_each = top_k(scores, each);
    const Value sums = reshape(of_each.values, {prompts, n_, each}) + expand_dims(beams.scores, -1);
    const TopK best = top_k(reshape(sums, {prompts, n_ * each}), candidates_);

    const Value source = best.indices / scalar(each);
    const Value ids = pick(reshape(of_each.indices, {prompts, n_ * each}), best.indices);
    const Value tokens = pick(reshape(state.tokens, {prompts, n_, -1}), source);
    const Value at_end = compare(Direction::kGreaterEqual, state.position + scalar(1), expand_dims(s.end, -1));
    Texts texts{.scores = best.values,
                .tokens = dynamic_update_slice(tokens, expand_dims(ids, -1), 2, state.position),
                .ended = bitwise_or(ends_text(ids, s.eos_token_id), at_end),
                .lengths = broadcast_to(state.position + scalar(1) - s.first, ids.shape()),
                .logprobs = {}};
    if (beams.logprobs) {
      const Value of_tokens = reshape(of_each.values - expand_dims(log_sum_exp(scores), -1), {prompts, n_ * each});
      texts.logprobs = pick(beams.logprobs, source) + pick(of_tokens, best.indices);
    }
    return {texts, source};
  }

  // The running texts after the token, with the rows of their keys and values.
  State next_state(const State& state, const Candidates& candidates, const Value& selected) const {
    const int64_t prompts = selected.shape()[0], rows = prompts * n_;
    const Value first_of_prompt = iota({DType::kInt32, {prompts, 1}}, 0) * scalar(n_);
    const Value source = reshape(pick(candidates.beams, selected) + first_of_prompt, {rows});
    const auto row_of_source = [&](const Value& x) {
      return reshape(gather_rows(reshape(x, {rows, -1}), source), x.shape());
    };
    State next = state;
    next.tokens = reshape(pick(candidates.texts.tokens, selected), state.tokens.shape());
    next.position = state.position + scalar(1);
    if (state.seen) {
      const Value seen = row_of_source(convert(state.seen, DType::kInt8));
      const Value ids = reshape(dynamic_slice(next.tokens, 1, state.position, 1), {rows});
      next.seen = see(compare(Direction::kNotEqual, seen, full(seen.type(), 0)), ids);
    }
    // The keys and values stay where they are. Those of the new token will be in the text's own row.
    const Value own = iota({DType::kInt32, {rows, 1}}, 0);
    next.cache.rows = dynamic_update_slice(row_of_source(state.cache.rows), own, 1, state.position);
    return next;
  }

  // The best of the texts that ended before and those that end now. Only the first n candidates may end.
  Texts best_ended(const Beams& beams, Texts candidates, const Settings& s) const {
    const Value rank = iota({DType::kInt32, candidates.scores.shape()}, 1);
    candidates.ended = bitwise_and(candidates.ended, compare(Direction::kLess, rank, scalar(n_)));
    candidates.scores = candidates.scores / power_of(candidates.lengths, s.length_penalty) +
                        penalty_where(logical_not(expand_dims(beams.can_improve, -1))) +
                        penalty_where(logical_not(candidates.ended));
    const Texts all_texts = join(beams.ended, candidates);
    return all_texts.at(top_k(all_texts.scores, n_).indices);
  }

  // Transformers' estimate of the best score that a running text can reach; false at the end of the text, and once n
  // texts have ended, if that suffices.
  Value can_improve(const Beams& beams, const Value& position, const Settings& s) const {
    const auto stopping_is = [&](EarlyStopping kind) {
      return compare(Direction::kEqual, s.early_stopping, scalar(static_cast<int64_t>(kind)));
    };
    const Value at_full_length =
        bitwise_and(stopping_is(EarlyStopping::kNever), compare(Direction::kGreater, s.length_penalty, f32(0)));
    const Value end = select(at_full_length, s.end, position);
    const Value best = slice(beams.scores, 1, {0, 1}) / power_of(expand_dims(end - s.first, -1), s.length_penalty);
    const Value lowest = slice(beams.ended.scores, 1, {n_ - 1, n_});
    const Value worst = select(beams.ended.ended, broadcast_to(lowest, beams.ended.ended.shape()), f32(kNever));
    const auto in_any = [](const Value& x) {
      return compare(Direction::kNotEqual, max(convert(x, DType::kInt32), {1}), scalar(0));
    };
    const Value possible = in_any(compare(Direction::kGreater, broadcast_to(best, worst.shape()), worst));
    const Value has_room = in_any(logical_not(beams.ended.ended));
    const Value wanted = bitwise_or(has_room, logical_not(stopping_is(EarlyStopping::kTrue)));
    const Value has_positions = compare(Direction::kLess, position, s.end);
    return bitwise_and(bitwise_and(beams.can_improve, has_positions), bitwise_and(possible, wanted));
  }

  const SearchKind kind_;
  const int64_t n_, candidates_;  // number of running texts; number of candidates
};

}  // namespace

std::unique_ptr<Search> beam_search(const SearchKind& kind) { return std::make_unique<BeamSearch>(kind); }

}  // namespace portatune::generate

#include "portatune/generate/token_model.h"

#include "portatune/error.h"
#include "portatune/models/heads.h"

namespace portatune::generate {
namespace {

// The logits after the last token of x [rows, tokens, hidden].
Value logits_of_last(const models::TextModel& model, models::HeadKind head, const nn::Scope& root, const Value& x) {
  const int64_t last = x.shape()[1] - 1;
  const Value of_last = reshape(slice(x, 1, {last, last + 1}), {x.shape()[0], x.shape()[2]});
  return model.logits(head, root, {.x = of_last});
}

// Tokens with padding before each row.
models::TextInputs inputs_of(const Value& ids, const Value& padding) {
  const Value position = iota(ids.type(), 1), first = expand_dims(padding, -1);
  return {.input_ids = ids,
          .attention_mask = convert(compare(Direction::kGreaterEqual, position, first), DType::kInt32),
          .position_ids = maximum(position - first, scalar(0))};
}

// The token at position `last` of the texts, and which positions of the cache are tokens.
models::TextInputs inputs_at(const Value& tokens, const Value& padding, const Value& last) {
  const Value position = iota({DType::kInt32, {1, tokens.shape()[1]}}, 1), first = expand_dims(padding, -1);
  const Value is_text = bitwise_and(compare(Direction::kGreaterEqual, position, first),
                                    compare(Direction::kLessEqual, broadcast_to(position, tokens.shape()), last));
  return {.input_ids = dynamic_slice(tokens, 1, last, 1),
          .attention_mask = convert(is_text, DType::kInt32),
          .position_ids = broadcast_to(last, {tokens.shape()[0], 1}) - first};
}

class DecoderTokens final : public TokenModel {
 public:
  explicit DecoderTokens(const models::TextModel& model) : model_(model), decoder_(*model.decoder()) {}

  bool continues_prompts() const override { return true; }
  int64_t max_prompt() const override { return model_.facts().max_length; }
  int64_t max_text() const override { return model_.facts().max_length; }
  int32_t start_token() const override { return 0; }

  FirstTokens first_tokens(const Prompts& prompts, const Value&) const override {
    return {.ids = prompts.ids, .padding = prompts.padding};
  }
  models::KeyValueCache empty_cache(int64_t prompts, int64_t length, DType dtype) const override {
    return decoder_.empty_cache(prompts, length, dtype);
  }
  Values prompt_context(const nn::Scope&, const Prompts&) const override { return {}; }

  Value first_logits(const nn::Scope& root, const FirstTokens& tokens, models::KeyValueCache& cache,
                     const Values&) const override {
    return logits(root, decoder_.next_hidden_state(root, inputs_of(tokens.ids, tokens.padding), cache, {}));
  }

  Value next_logits(const nn::Scope& root, State& state, const Values&) const override {
    const Value last = state.position - scalar(1);
    const models::TextInputs in = inputs_at(state.tokens, state.padding, last);
    return logits(root, decoder_.next_hidden_state(root, in, state.cache, last));
  }

 private:
  Value logits(const nn::Scope& root, const Value& x) const {
    return logits_of_last(model_, models::HeadKind::kCausalLM, root, x);
  }

  const models::TextModel& model_;
  const models::Decoder& decoder_;
};

class Seq2SeqTokens : public TokenModel {
 public:
  explicit Seq2SeqTokens(const models::TextModel& model) : model_(model), body_(*model.seq2seq()) {}

  bool continues_prompts() const override { return false; }
  int64_t max_prompt() const override { return model_.facts().max_length; }
  int64_t max_text() const override { return body_.facts().max_target; }
  int32_t start_token() const override { return static_cast<int32_t>(body_.facts().decoder_start_token_id); }

  FirstTokens first_tokens(const Prompts& prompts, const Value& start) const override {
    const Value fills = compare(Direction::kGreaterEqual, prompts.padding, scalar(prompts.ids.shape()[1]));
    return {.ids = broadcast_to(start, {prompts.ids.shape()[0], 1}), .padding = convert(fills, DType::kInt32)};
  }
  models::KeyValueCache empty_cache(int64_t prompts, int64_t length, DType dtype) const override {
    return body_.empty_cache(prompts, length, dtype);
  }

  // The keys of all layers, their values, and the mask of the sources.
  Values prompt_context(const nn::Scope& root, const Prompts& prompts) const override {
    const models::CrossCache cache = body_.cross_cache(root, encoded(root, prompts));
    Values context = cache.layers.keys;
    context.insert(context.end(), cache.layers.values.begin(), cache.layers.values.end());
    context.push_back(cache.attention_mask);
    return context;
  }

  Value first_logits(const nn::Scope& root, const FirstTokens& tokens, models::KeyValueCache& cache,
                     const Values& context) const override {
    // A row that only fills the batch has one token, so that attention always sees a key.
    const Value padding = minimum(tokens.padding, scalar(tokens.ids.shape()[1] - 1));
    const models::TextInputs in = inputs_of(tokens.ids, padding);
    return logits(root, body_.next_hidden_state(root, in, cache, cross_cache_of(context), {}));
  }

  Value next_logits(const nn::Scope& root, State& state, const Values& context) const override {
    const Value last = state.position - scalar(1);
    const models::TextInputs in = inputs_at(state.tokens, state.padding, last);
    return logits(root, body_.next_hidden_state(root, in, state.cache, cross_cache_of(context), last));
  }

 protected:
  virtual models::EncodedSource encoded(const nn::Scope& root, const Prompts& prompts) const {
    const Value position = iota(prompts.ids.type(), 1);
    const Value end = expand_dims(scalar(prompts.ids.shape()[1]) - prompts.padding, -1);
    // A row that only fills the batch has one token, so that attention always sees a key.
    const Value mask = convert(compare(Direction::kLess, position, maximum(end, scalar(1))), DType::kInt32);
    const Value x = body_.encoder_states(root, {.input_ids = prompts.ids, .attention_mask = mask}).back();
    return {.x = x, .attention_mask = mask};
  }

 private:
  static models::CrossCache cross_cache_of(const Values& context) {
    const auto layers = (std::ssize(context) - 1) / 2;
    return {.layers = {.keys = {context.begin(), context.begin() + layers},
                       .values = {context.begin() + layers, context.end() - 1}},
            .attention_mask = context.back()};
  }
  Value logits(const nn::Scope& root, const Value& x) const {
    return logits_of_last(model_, models::HeadKind::kSeq2SeqLM, root, x);
  }

  const models::TextModel& model_;
  const models::Seq2Seq& body_;
};

class TokensOfSources final : public Seq2SeqTokens {
 public:
  TokensOfSources(const models::TextModel& model, const FirstTokens& first) : Seq2SeqTokens(model), first_(first) {}

  FirstTokens first_tokens(const Prompts& prompts, const Value&) const override {
    return {.ids = first_.ids,
            .padding = first_.padding ? first_.padding : full({DType::kInt32, {prompts.count()}}, 0)};
  }

 protected:
  models::EncodedSource encoded(const nn::Scope&, const Prompts& prompts) const override { return prompts.source; }

 private:
  const FirstTokens first_;
};

}  // namespace

std::unique_ptr<TokenModel> token_model_of_sources(const models::TextModel& model, const FirstTokens& first) {
  return std::make_unique<TokensOfSources>(model, first);
}

std::unique_ptr<TokenModel> token_model(const models::TextModel& model) {
  if (model.decoder() != nullptr) return std::make_unique<DecoderTokens>(model);
  if (model.seq2seq() != nullptr) return std::make_unique<Seq2SeqTokens>(model);
  throw UsageError({.where = "the model",
                    .given = "generation for " + models::name_of_checkpoint(model.facts()),
                    .expected = "a decoder, which continues a text token by token, or an encoder-decoder model",
                    .fix = "choose a checkpoint of another architecture"});
}

}  // namespace portatune::generate

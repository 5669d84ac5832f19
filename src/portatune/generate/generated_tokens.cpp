#include "portatune/generate/generated_tokens.h"

#include "portatune/error.h"
#include "portatune/generate/options.h"
#include "portatune/generate/search/beam_search.h"
#include "portatune/generate/text_loop.h"

namespace portatune::generate {
namespace {

// first  number of tokens of a text before its first new token
void require_possible(const GenerationOptions& options, const TokenModel& model, int64_t first) {
  if (options.do_sample) {
    throw UsageError({.where = "do_sample",
                      .given = "true",
                      .expected = "false: an evaluation takes the most probable tokens",
                      .fix = "use beam search, or leave it out"});
  }
  const int64_t tokens = first + max_new_tokens(options, first);
  if (tokens <= first || tokens > model.max_text()) {
    throw UsageError({.where = options.max_new_tokens ? "max_new_tokens" : "max_length",
                      .given = std::to_string(tokens) + " tokens with those that begin a text",
                      .expected = std::to_string(first + 1) + " to " + std::to_string(model.max_text()) +
                                  ", the positions of the decoder"});
  }
}

Settings constant_settings(const SearchKind& kind, const GenerationOptions& options, const CallFacts& facts) {
  Values values;
  for (Tensor& tensor : settings_arguments(kind, options, facts)) values.push_back(constant(std::move(tensor)));
  return settings_of(kind, values);
}

// The limits of texts that are all alike: int32 [prompts, kLimits].
Tensor equal_limits(const GenerationOptions& options, int64_t prompts, int64_t first) {
  const std::vector<int32_t> of_one = limits_of(options, first, first);
  std::vector<int32_t> all;
  for (int64_t i = 0; i < prompts; ++i) all.insert(all.end(), of_one.begin(), of_one.end());
  return Tensor({prompts, kLimits}, std::span<const int32_t>(all));
}

// The tokens of the best text of each prompt, with pad_token_id after its end.
Value best_tokens(const SearchKind& kind, const State& state, const Settings& settings) {
  if (kind.beams == 1) {
    const Value position = iota(state.tokens.type(), 1);
    return select(compare(Direction::kLess, position, state.position), state.tokens, settings.pad_token_id);
  }
  const auto best = [](const Value& of_beams) {
    Shape shape = of_beams.shape();
    shape.erase(1);
    return reshape(slice(of_beams, 1, {0, 1}), shape);
  };
  const Value tokens = best(state.search[kEndedTokens]);
  const Value end = expand_dims(best(state.search[kEndedLengths]), -1) + settings.first;
  return select(compare(Direction::kLess, iota(tokens.type(), 1), end), tokens, settings.pad_token_id);
}

// first  number of tokens of a text before its first new token
GeneratedTokens generated(const models::TextModel& model, const TokenModel& tokens, const nn::Scope& root,
                          const Prompts& prompts, int64_t first, const GenerationOptions& options) {
  require_possible(options, tokens, first);
  const int64_t length = first + max_new_tokens(options, first);
  const SearchKind kind = kind_of(options);
  const auto pad = static_cast<int32_t>(model.seq2seq()->facts().pad_token_id);
  const Settings settings = constant_settings(kind, options,
                                              {.first = first,
                                               .pause = length,
                                               .pad_token_id = options.pad_token_id.value_or(pad),
                                               .start = options.decoder_start_token_id.value_or(tokens.start_token()),
                                               .vocab_size = model.written_vocab_size(),
                                               .limits = equal_limits(options, prompts.count(), first),
                                               .numbers = Tensor(TensorType{DType::kUInt32, {prompts.count()}})});
  const GrowingTexts texts = begin_texts(tokens, root, kind, prompts, length, settings);
  const State last = add_tokens(tokens, root, kind, texts, settings);
  return {.tokens = best_tokens(kind, last, settings), .finite = last.finite};
}

}  // namespace

GeneratedTokens generated_tokens(const models::TextModel& model, const nn::Scope& root,
                                 const models::TextInputs& source, const GenerationOptions& options) {
  const Value padding = scalar(source.input_ids.shape()[1]) - sum(source.attention_mask, {1});
  return generated(model, *token_model(model), root, {.ids = source.input_ids, .padding = padding}, 1, options);
}

GeneratedTokens generated_tokens(const models::TextModel& model, const nn::Scope& root,
                                 const models::EncodedSource& source, const Value& first_tokens,
                                 const GenerationOptions& options) {
  const std::unique_ptr<TokenModel> tokens = token_model_of_sources(model, first_tokens);
  return generated(model, *tokens, root, {.source = source}, first_tokens.shape()[1], options);
}

}  // namespace portatune::generate

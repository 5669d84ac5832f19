#include "portatune/generate/generated_tokens.h"

#include <algorithm>

#include "portatune/error.h"
#include "portatune/generate/options.h"
#include "portatune/generate/search/beam_search.h"
#include "portatune/generate/text_loop.h"

namespace portatune::generate {
namespace {

void require_no_sampling(const GenerationOptions& options) {
  if (!options.do_sample) return;
  throw UsageError({.where = "do_sample",
                    .given = "true",
                    .expected = "false: an evaluation takes the most probable tokens",
                    .fix = "use beam search, or leave it out"});
}

// first  number of tokens of a text before its first new token
void require_possible(const GenerationOptions& options, const TokenModel& model, int64_t first) {
  const int64_t tokens = first + max_new_tokens(options, first);
  if (tokens <= first || tokens > model.max_text()) {
    throw UsageError({.where = options.max_new_tokens ? "max_new_tokens" : "max_length",
                      .given = std::to_string(tokens) + " tokens with those that begin a text",
                      .expected = std::to_string(first + 1) + " to " + std::to_string(model.max_text()) +
                                  ", the positions of the decoder"});
  }
}

// limits  of the texts, in place of those of `facts`
Settings constant_settings(const SearchKind& kind, const GenerationOptions& options, const CallFacts& facts,
                           const Value& limits) {
  Values values;
  for (Tensor& tensor : settings_arguments(kind, options, facts)) values.push_back(constant(std::move(tensor)));
  values[values.size() - kPromptArguments] = limits;
  return settings_of(kind, values);
}

// The options of a text with this many tokens before its new ones, which ends at the last position of the decoder.
GenerationOptions bounded(GenerationOptions options, int64_t prompt, int64_t max_text) {
  options.max_new_tokens = std::min(max_new_tokens(options, prompt), max_text - prompt);
  return options;
}

// The limits of texts that begin after `first` positions: int32 [prompts, kLimits].
//   padding   int32 [prompts]: how many of these positions are padding; absent: none
//   max_text  positions of the decoder
Value limits_of_texts(const GenerationOptions& options, int64_t prompts, int64_t first, const Value& padding,
                      int64_t max_text) {
  std::vector<int32_t> by_padding;
  const int64_t paddings = padding ? first : 1;
  for (int64_t prompt = first; prompt > first - paddings; --prompt) {
    const std::vector<int32_t> limits = limits_of(bounded(options, prompt, max_text), prompt, first);
    by_padding.insert(by_padding.end(), limits.begin(), limits.end());
  }
  const Value table = constant(Tensor({paddings, kLimits}, std::span<const int32_t>(by_padding)));
  return padding ? gather_rows(table, padding) : broadcast_to(table, {prompts, kLimits});
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

Value logprobs_of_best(const SearchKind& kind, const State& state) {
  if (kind.beams == 1) return state.logprob;
  const Value& of_beams = state.search[kEndedLogprobs];
  return reshape(slice(of_beams, 1, {0, 1}), {of_beams.shape()[0]});
}

// The texts of the rows of a batch that are chosen in one way.
struct ScoredRows {
  Value are_included;                        // bool [batch]: the other texts end with their first token
  const RowTemperatures* sampled = nullptr;  // null: texts are not sampled
};

Settings settings_of_rows(Settings settings, const ScoredRows& rows) {
  settings.end = select(rows.are_included, settings.end, broadcast_to(settings.first, settings.end.shape()));
  if (rows.sampled == nullptr) return settings;
  const Value& temperatures = rows.sampled->temperatures;
  settings.temperature = expand_dims(select(rows.are_included, temperatures, full(temperatures.type(), 1)), -1);
  settings.numbers = convert(rows.sampled->draws, DType::kUInt32);
  return settings;
}

// first    position of the first new token of a text
// padding  of limits_of_texts()
// rows     null: all, without scores
GeneratedTokens generated(const models::TextModel& model, const TokenModel& tokens, const nn::Scope& root,
                          const Prompts& prompts, int64_t first, const Value& padding, const GenerationOptions& options,
                          const ScoredRows* rows = nullptr) {
  const int64_t max_text = tokens.max_text(), shortest = padding ? 1 : first;
  const int64_t length = first + *bounded(options, shortest, max_text).max_new_tokens;
  SearchKind kind = kind_of(options);
  kind.scores = rows != nullptr;
  const auto pad = static_cast<int32_t>(model.seq2seq()->facts().pad_token_id);
  Settings settings = constant_settings(kind, options,
                                        {.first = first,
                                         .pause = length,
                                         .pad_token_id = options.pad_token_id.value_or(pad),
                                         .start = options.decoder_start_token_id.value_or(tokens.start_token()),
                                         .vocab_size = model.written_vocab_size(),
                                         .limits = Tensor(TensorType{DType::kInt32, {prompts.count(), kLimits}}),
                                         .numbers = Tensor(TensorType{DType::kUInt32, {prompts.count()}})},
                                        limits_of_texts(options, prompts.count(), first, padding, max_text));
  if (rows != nullptr) settings = settings_of_rows(settings, *rows);
  const GrowingTexts texts = begin_texts(tokens, root, kind, prompts, length, settings);
  const State last = add_tokens(tokens, root, kind, texts, settings);
  return {.tokens = best_tokens(kind, last, settings),
          .finite = last.finite,
          .logprobs = rows != nullptr ? logprobs_of_best(kind, last) : Value()};
}

GeneratedTokens generated_of_source(const models::TextModel& model, const nn::Scope& root,
                                    const models::EncodedSource& source, const FirstTokens& first,
                                    const GenerationOptions& options, const ScoredRows* rows = nullptr) {
  const std::unique_ptr<TokenModel> tokens = token_model_of_sources(model, first);
  const int64_t size = first.ids.shape()[1];
  require_possible(bounded(options, size, tokens->max_text()), *tokens, size);
  return generated(model, *tokens, root, {.source = source}, size, first.padding, options, rows);
}

}  // namespace

GeneratedTokens generated_tokens(const models::TextModel& model, const nn::Scope& root,
                                 const models::TextInputs& source, const GenerationOptions& options) {
  require_no_sampling(options);
  const Value padding = scalar(source.input_ids.shape()[1]) - sum(source.attention_mask, {1});
  const std::unique_ptr<TokenModel> tokens = token_model(model);
  require_possible(options, *tokens, 1);
  return generated(model, *tokens, root, {.ids = source.input_ids, .padding = padding}, 1, {}, options);
}

GeneratedTokens generated_tokens(const models::TextModel& model, const nn::Scope& root,
                                 const models::EncodedSource& source, const FirstTokens& first,
                                 const GenerationOptions& options) {
  require_no_sampling(options);
  return generated_of_source(model, root, source, first, options);
}

GeneratedTokens scored_tokens(const models::TextModel& model, const nn::Scope& root,
                              const models::EncodedSource& source, const FirstTokens& first, GenerationOptions options,
                              const RowTemperatures& rows) {
  const auto generated_rows = [&](const ScoredRows& part) {
    return generated_of_source(model, root, source, first, options, &part);
  };
  const Value is_sampled = compare(Direction::kGreater, rows.temperatures, full({DType::kFloat32, {}}, 0));
  options.do_sample = false;
  const GeneratedTokens searched = generated_rows({.are_included = logical_not(is_sampled)});
  if (!rows.samples) return searched;
  options.do_sample = true;
  options.num_beams = 1;
  const GeneratedTokens sampled = generated_rows({.are_included = is_sampled, .sampled = &rows});
  return {.tokens = select(broadcast_to(expand_dims(is_sampled, -1), sampled.tokens.shape()), sampled.tokens,
                           searched.tokens),
          .finite = bitwise_and(searched.finite, sampled.finite),
          .logprobs = select(is_sampled, sampled.logprobs, searched.logprobs)};
}

}  // namespace portatune::generate

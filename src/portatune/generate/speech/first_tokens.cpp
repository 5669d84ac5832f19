#include "portatune/generate/speech/first_tokens.h"

#include "portatune/error.h"
#include "portatune/generate/search/processors.h"
#include "portatune/generate/search/sampling.h"
#include "portatune/generate/text_loop.h"

namespace portatune::generate {
namespace {

// The same tokens for each source.
Value same_for_all(std::span<const int32_t> tokens, int64_t sources) {
  return broadcast_to(constant(vector_of(std::vector<int32_t>(tokens.begin(), tokens.end()))),
                      {sources, std::ssize(tokens)});
}

// bool [1, vocab]
Tensor set_of_languages(const std::vector<int32_t>& ids, int64_t vocab_size) {
  Tensor set(TensorType{DType::kBool, {1, vocab_size}});
  for (const int32_t id : ids) {
    if (id >= vocab_size) {
      throw CheckpointError({.where = "generation_config.json, lang_to_id",
                             .given = std::to_string(id),
                             .expected = "ids of the vocabulary, below " + std::to_string(vocab_size)});
    }
    set.data()[id] = std::byte{1};
  }
  return set;
}

// float32 [batch, vocab]
Value logits_after(const models::TextModel& model, const nn::Scope& root, const models::EncodedSource& source,
                   const FirstTokens& tokens) {
  return logits_of_first(*token_model_of_sources(model, tokens), root, {.source = source}, {});
}

// int32 [batch]
Value detected_languages(const models::TextModel& model, const nn::Scope& root, const models::EncodedSource& source,
                         const SpeechPrompt& prompt) {
  const Value start = same_for_all(std::span(prompt.tokens).first(1), source.x.shape()[0]);
  const Value logits = logits_after(model, root, source, {.ids = start, .padding = {}});
  const Value of_languages = select(constant(set_of_languages(prompt.languages, logits.shape()[1])), logits,
                                    full({DType::kFloat32, {}}, kExcluded));
  return most_probable(of_languages);
}

// The tokens of a prompt for each source, without those before them: int32 [batch, n].
Value prompt_tokens(const models::TextModel& model, const nn::Scope& root, const models::EncodedSource& source,
                    const SpeechPrompt& prompt, const Value& known) {
  const std::span<const int32_t> tokens = prompt.tokens;
  const int64_t sources = source.x.shape()[0];
  if (prompt.languages.empty()) return same_for_all(tokens, sources);
  Value languages = detected_languages(model, root, source, prompt);
  if (known) languages = select(compare(Direction::kLess, known, full(known.type(), 0)), languages, known);
  Values parts{same_for_all(tokens.first(1), sources), expand_dims(languages, -1)};
  if (tokens.size() > 2) parts.push_back(same_for_all(tokens.subspan(2), sources));
  return concatenate(parts, 1);
}

}  // namespace

FirstTokens first_tokens(const models::TextModel& model, const nn::Scope& root, const models::EncodedSource& source,
                         const SpeechPrompt& prompt, const KnownSpeech& known) {
  const Value tokens = prompt_tokens(model, root, source, prompt, known.languages);
  if (known.previous) {
    const Value is_padding = compare(Direction::kLess, known.previous, scalar(0));
    return {.ids = concatenate({maximum(known.previous, scalar(0)), tokens}, 1),
            .padding = sum(convert(is_padding, DType::kInt32), {1})};
  }
  if (prompt.previous.empty()) return {.ids = tokens, .padding = {}};
  return {.ids = concatenate({same_for_all(prompt.previous, source.x.shape()[0]), tokens}, 1), .padding = {}};
}

Value no_speech_probability(const models::TextModel& model, const nn::Scope& root, const models::EncodedSource& source,
                            const SpeechPrompt& prompt, const FirstTokens& first, int32_t no_speech) {
  const int64_t size = first.ids.shape()[1] - std::ssize(prompt.tokens) + 1;
  const FirstTokens until_start{.ids = slice(first.ids, 1, {0, size}), .padding = first.padding};
  const Value of_all = softmax(logits_after(model, root, source, until_start), 1);
  return reshape(slice(of_all, 1, {no_speech, no_speech + 1}), {of_all.shape()[0]});
}

}  // namespace portatune::generate

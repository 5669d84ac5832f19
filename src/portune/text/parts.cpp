#include "portune/text/parts.h"

#include "portune/error.h"

namespace portune::text {

Tokenizer::Parts::Parts(TokenizerSpec spec, const TokenizerConfig& config)
    : normalizer(spec.normalizer),
      model(std::move(spec.model), std::move(spec.vocabulary), spec.where),
      fused(normalizer, model),
      post_processor(std::move(spec.post_processor)),
      model_max_length(config.model_max_length) {
  for (AddedToken& token : spec.added_tokens) add(std::move(token));
  pad_id = find(config.pad_token);
  unk_id = find(config.unk_token);
  cls_id = find(config.cls_token);
  sep_id = find(config.sep_token);
  mask_id = find(config.mask_token);
}

// The id that a file states for an added token has no meaning for `tokenizers`: it takes the model's or the next free.
void Tokenizer::Parts::add(AddedToken token) {
  if (token.content.empty()) return;
  if (!find(token.content)) {
    const int64_t next = model.vocabulary().size() + added_vocabulary.size();
    added_vocabulary.add(token.content, static_cast<int32_t>(next));
  }
  token.id = *find(token.content);
  if (!token.normalized) {
    raw_tokens.add(token.content, token);
    return;
  }
  std::string pattern;
  normalizer.normalize(token.content, pattern);
  if (!pattern.empty()) normalized_tokens.add(pattern, token);
}

std::optional<int32_t> Tokenizer::Parts::find(std::string_view token) const {
  const auto id = added_vocabulary.find(token);
  return id ? id : model.vocabulary().find(token);
}

int64_t Tokenizer::Parts::budget(bool pair, const EncodeOptions& options) const {
  if (options.max_length == 0) return std::numeric_limits<int64_t>::max();
  const int64_t added = options.add_special_tokens ? post_processor.added_tokens(pair) : 0;
  if (options.max_length < added) {
    throw UsageError({.where = "encode",
                      .given = "max_length " + std::to_string(options.max_length),
                      .expected = "at least the " + std::to_string(added) + " tokens that the template adds"});
  }
  return options.max_length - added;
}

Limits limits(bool pair, int64_t budget, TruncationStrategy strategy) {
  const auto most = static_cast<size_t>(budget);
  if (strategy == TruncationStrategy::kOnlyFirst) return {.first = most};
  if (strategy == TruncationStrategy::kOnlySecond && pair) return {.second = most};
  if (strategy == TruncationStrategy::kLongestFirst && !pair) return {.first = most};
  return {};
}

}  // namespace portune::text

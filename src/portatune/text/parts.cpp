#include "portatune/text/parts.h"

#include <algorithm>

#include "portatune/error.h"
#include "portatune/text/decode/cleanup.h"
#include "portatune/text/model/bpe.h"

namespace portatune::text {

Tokenizer::Parts::Parts(TokenizerSpec spec, const TokenizerConfig& config)
    : normalizer(std::move(spec.normalizer)),
      pre_tokenizer(std::move(spec.pre_tokenizer)),
      model(std::move(spec.model)),
      fused(fused_pass(normalizer.get(), pre_tokenizer.get(), *model)),
      post_processor(std::move(spec.post_processor)),
      decoder(std::move(spec.decoder)),
      model_max_length(config.model_max_length),
      clean_up_tokenization_spaces(config.clean_up_tokenization_spaces &&
                                   dynamic_cast<const Bpe*>(model.get()) == nullptr) {
  for (AddedToken& token : spec.added_tokens) add(std::move(token));
  by_segment = (normalizer == nullptr || normalizer->works_by_segment()) && pre_tokenizer != nullptr &&
               pre_tokenizer->works_by_segment() && normalized_tokens.empty();
  // The usual names apply if the files name no token.
  const auto id_of = [this](const std::optional<AddedToken>& token, std::initializer_list<const char*> names) {
    std::optional<int32_t> id = token ? find(token->content) : std::nullopt;
    for (const char* name : names) {
      if (!id && !token) id = find(name);
    }
    return id;
  };
  pad_id = id_of(config.pad_token, {"[PAD]", "<pad>"});
  unk_id = id_of(config.unk_token, {"[UNK]", "<unk>"});
  cls_id = id_of(config.cls_token, {"[CLS]"});
  sep_id = id_of(config.sep_token, {"[SEP]"});
  mask_id = id_of(config.mask_token, {"[MASK]", "<mask>"});
  bos_id = id_of(config.bos_token, {"<s>", "<|endoftext|>"});
  eos_id = id_of(config.eos_token, {"</s>", "<|endoftext|>"});
}

// Adds a token. Like `tokenizers`, it ignores the id in the file: the token gets the model's id or the next free one.
void Tokenizer::Parts::add(AddedToken token) {
  if (token.content.empty()) return;
  if (!find(token.content)) {
    const int64_t next = model->size() + added_vocabulary.size();
    added_vocabulary.add(token.content, static_cast<int32_t>(next));
  }
  token.id = *find(token.content);
  if (token.special) special_tokens_.insert(token.content);
  if (!token.normalized) {
    raw_tokens.add(token.content, token);
    return;
  }
  Normalized pattern;
  pattern.assign(token.content, 0, false);
  if (normalizer != nullptr) normalizer->normalize(pattern);
  if (pattern.text() != token.content) normalized_contents_[token.id] = pattern.text();
  if (!pattern.text().empty()) normalized_tokens.add(pattern.text(), token);
}

std::span<const SpacesAtEnds> Tokenizer::Parts::token_spaces() const {
  if (post_processor.trims.empty()) return {};
  std::call_once(has_token_spaces_, [this] {
    const Vocabulary& vocabulary = model->vocabulary();
    for (int32_t id = 0; id < vocabulary.id_limit(); ++id) token_spaces_.push_back(spaces_of(vocabulary.token(id)));
  });
  return token_spaces_;
}

std::optional<int32_t> Tokenizer::Parts::find(std::string_view token) const {
  const auto id = added_vocabulary.find(token);
  return id ? id : model->vocabulary().find(token);
}

// All other tokens of templates have a role.
std::optional<int32_t> Tokenizer::Parts::language_id() const {
  std::vector<int32_t> languages;
  for (const Template::Part& part : post_processor.layout.single) {
    for (const int32_t id : part.special_ids) {
      const bool has_role = id == bos_id || id == eos_id || id == cls_id || id == sep_id;
      if (!has_role) languages.push_back(id);
    }
  }
  return languages.size() == 1 ? std::optional(languages.front()) : std::nullopt;
}

void Tokenizer::Parts::set_language(std::string_view language) {
  const std::optional<int32_t> present = language_id();
  if (!present || !special_tokens_.contains(std::string(language))) return;
  for (std::vector<Template::Part>* parts : {&post_processor.layout.single, &post_processor.layout.pair}) {
    for (Template::Part& part : *parts) std::ranges::replace(part.special_ids, *present, *find(language));
  }
}

int64_t Tokenizer::Parts::budget(bool pair, const EncodeOptions& options) const {
  if (options.max_length == 0) return std::numeric_limits<int64_t>::max();
  const int64_t added = options.add_special_tokens ? post_processor.layout.added_tokens(pair) : 0;
  if (options.max_length < added) {
    throw UsageError({.where = "encode",
                      .given = "max_length " + std::to_string(options.max_length),
                      .expected = "at least the " + std::to_string(added) + " tokens that the template adds"});
  }
  return options.max_length - added;
}

std::string Tokenizer::Parts::decode(std::span<const int32_t> ids, const DecodeOptions& options) const {
  std::vector<std::string> tokens;
  for (const int32_t id : ids) {
    const auto normalized = normalized_contents_.find(id);
    const std::string_view added = added_vocabulary.token(id);
    const std::string_view content = normalized != normalized_contents_.end() ? std::string_view(normalized->second)
                                     : added.empty()                          ? model->vocabulary().token(id)
                                                                              : added;
    std::string token(content);
    if (token.empty() || (options.skip_special_tokens && special_tokens_.contains(token))) continue;
    tokens.push_back(std::move(token));
  }
  if (decoder != nullptr && !tokens.empty()) decoder->decode(tokens);
  std::string text;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (decoder == nullptr && i > 0) text += ' ';
    text += tokens[i];
  }
  const bool clean = options.clean_up_tokenization_spaces.value_or(clean_up_tokenization_spaces);
  return clean ? clean_up(text, Cleanup::kTransformers) : text;
}

Limits limits(bool pair, int64_t budget, TruncationStrategy strategy) {
  const auto limit = static_cast<size_t>(budget);
  if (strategy == TruncationStrategy::kOnlyFirst) return {.first = limit};
  if (strategy == TruncationStrategy::kOnlySecond && pair) return {.second = limit};
  if (strategy == TruncationStrategy::kLongestFirst && !pair) return {.first = limit};
  return {};
}

}  // namespace portatune::text

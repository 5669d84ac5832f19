// Ids only, through the fused pass.
#include "portune/text/id_encoder_state.h"
#include "portune/text/pretokenize/bert.h"
#include "portune/text/unicode/utf8.h"

namespace portune::text {

void IdEncoder::State::encode(const TextPair& texts, const EncodeOptions& options) {
  const bool pair = texts.second.has_value();
  const int64_t budget = parts.budget(pair, options);
  const Limits limit = limits(pair, budget, options.truncation);
  encode_text(texts.first, limit.first, first.ids);
  second.ids.clear();
  if (pair) encode_text(*texts.second, limit.second, second.ids);
  truncate(first, second, pair, budget, options.truncation);
}

void IdEncoder::State::encode_text(std::string_view text, size_t limit, std::vector<int32_t>& ids) {
  require_utf8(text);
  ids.clear();
  parts.raw_tokens.find(text, raw_matches_);
  size_t at = 0;
  for (const AddedTokens::Match& match : raw_matches_) {
    if (at < match.begin && !take_text(text.substr(at, match.begin - at), limit, ids)) return;
    ids.push_back(match.id);
    at = match.end;
  }
  take_text(text.substr(at), limit, ids);
}

bool IdEncoder::State::take_text(std::string_view text, size_t limit, std::vector<int32_t>& ids) {
  if (parts.normalized_tokens.empty()) return parts.fused.append(text, limit, scratch_, ids);
  normalized_.clear();
  parts.normalizer.normalize(text, normalized_);
  parts.normalized_tokens.find(normalized_, matches_);
  const std::string_view all = normalized_;
  size_t at = 0;
  for (const AddedTokens::Match& match : matches_) {
    if (at < match.begin && !take_words(all.substr(at, match.begin - at), limit, ids)) return false;
    ids.push_back(match.id);
    at = match.end;
  }
  return take_words(all.substr(at), limit, ids);
}

bool IdEncoder::State::take_words(std::string_view text, size_t limit, std::vector<int32_t>& ids) {
  return for_each_bert_word(text, [&](size_t begin, size_t end) {
    parts.fused.take_word(text.substr(begin, end - begin), scratch_, ids);
    return ids.size() < limit;
  });
}

IdEncoder::IdEncoder(const Tokenizer& tokenizer) : state_(std::make_unique<State>(*tokenizer.parts_)) {}
IdEncoder::~IdEncoder() = default;
IdEncoder::IdEncoder(IdEncoder&&) noexcept = default;
IdEncoder& IdEncoder::operator=(IdEncoder&&) noexcept = default;

void IdEncoder::append(const TextPair& texts, const EncodeOptions& options, std::vector<int32_t>& ids,
                       std::vector<int32_t>* type_ids) {
  state_->encode(texts, options);
  assemble(state_->parts.post_processor.parts(texts.second.has_value()), state_->first.ids, state_->second.ids,
           options.add_special_tokens, ids, type_ids);
}

}  // namespace portune::text

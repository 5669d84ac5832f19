// Ids only, through the fused pass where there is one.
#include "portune/text/id_encoder_state.h"
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
  ids_ = &ids;
  limit_ = limit;
  parts.raw_tokens.find(text, raw_matches_);
  size_t at = 0;
  for (const AddedTokens::Match& match : raw_matches_) {
    if (at < match.begin && !take_text(text, at, match.begin)) return;
    ids.push_back(match.id);
    at = match.end;
  }
  take_text(text, at, text.size());
}

bool IdEncoder::State::take_text(std::string_view text, size_t begin, size_t end) {
  const std::string_view piece = text.substr(begin, end - begin);
  const FusedPass* fused = parts.fused.get();
  if (fused != nullptr && fused->normalizes() && parts.normalized_tokens.empty()) {
    return fused->append(piece, limit_, fused_, *ids_);
  }
  if (fused != nullptr && !fused->normalizes()) return take_normalized(piece);
  const bool with_origins = !parts.works_without_origins();
  const size_t first = with_origins ? count_code_points(text.substr(0, begin)) : begin;
  return parts.pass(piece, static_cast<int32_t>(first), with_origins, stages_, *this);
}

// Normalizes, and passes what is between normalized added tokens on.
bool IdEncoder::State::take_normalized(std::string_view text) {
  if (parts.normalizer != nullptr) {
    stages_.normalized.assign(text, 0, false);
    parts.normalizer->normalize(stages_.normalized);
    text = stages_.normalized.text();
  }
  parts.normalized_tokens.find(text, matches_);
  size_t at = 0;
  for (const AddedTokens::Match& match : matches_) {
    if (at < match.begin && !parts.fused->append(text.substr(at, match.begin - at), limit_, fused_, *ids_))
      return false;
    ids_->push_back(match.id);
    at = match.end;
  }
  return parts.fused->append(text.substr(at), limit_, fused_, *ids_);
}

bool IdEncoder::State::take_words(const Words& words) {
  for (const Words::Word& word : words.words) {
    const std::string_view text = words.text_of(word);
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = parts.model->end_of_part(text, begin);
      append_word(*parts.model, text.substr(begin, end - begin), fused_, *ids_);
      begin = end;
    }
    if (ids_->size() >= limit_) return false;
  }
  return true;
}

IdEncoder::IdEncoder(const Tokenizer& tokenizer) : state_(std::make_unique<State>(*tokenizer.parts_)) {}
IdEncoder::~IdEncoder() = default;
IdEncoder::IdEncoder(IdEncoder&&) noexcept = default;
IdEncoder& IdEncoder::operator=(IdEncoder&&) noexcept = default;

void IdEncoder::append(const TextPair& texts, const EncodeOptions& options, std::vector<int32_t>& ids,
                       std::vector<int32_t>* type_ids) {
  state_->encode(texts, options);
  assemble(state_->parts.post_processor.layout.parts(texts.second.has_value()), state_->first.ids, state_->second.ids,
           options.add_special_tokens, ids, type_ids);
}

}  // namespace portune::text

// Ids only, through the fused pass.
#include "portune/text/parts.h"
#include "portune/text/pretokenize/bert.h"
#include "portune/text/unicode/utf8.h"

namespace portune::text {

struct IdEncoder::State {
  explicit State(const Tokenizer::Parts& tokenizer) : parts(tokenizer) {}

  const Tokenizer::Parts& parts;
  FusedBert::Scratch scratch;
  std::vector<AddedTokens::Match> raw_matches, matches;
  std::string normalized;
  std::vector<int32_t> first, second;

  void encode(std::string_view text, size_t limit, std::vector<int32_t>& ids);
  bool take_text(std::string_view text, size_t limit, std::vector<int32_t>& ids);
  bool take_words(std::string_view text, size_t limit, std::vector<int32_t>& ids);
};

// Replaces `ids` by those of one text.
void IdEncoder::State::encode(std::string_view text, size_t limit, std::vector<int32_t>& ids) {
  require_utf8(text);
  ids.clear();
  parts.raw_tokens.find(text, raw_matches);
  size_t at = 0;
  for (const AddedTokens::Match& match : raw_matches) {
    if (at < match.begin && !take_text(text.substr(at, match.begin - at), limit, ids)) return;
    ids.push_back(match.id);
    at = match.end;
  }
  take_text(text.substr(at), limit, ids);
}

bool IdEncoder::State::take_text(std::string_view text, size_t limit, std::vector<int32_t>& ids) {
  if (parts.normalized_tokens.empty()) return parts.fused.append(text, limit, scratch, ids);
  normalized.clear();
  parts.normalizer.normalize(text, normalized);
  parts.normalized_tokens.find(normalized, matches);
  const std::string_view all = normalized;
  size_t at = 0;
  for (const AddedTokens::Match& match : matches) {
    if (at < match.begin && !take_words(all.substr(at, match.begin - at), limit, ids)) return false;
    ids.push_back(match.id);
    at = match.end;
  }
  return take_words(all.substr(at), limit, ids);
}

bool IdEncoder::State::take_words(std::string_view text, size_t limit, std::vector<int32_t>& ids) {
  return for_each_bert_word(text, [&](size_t begin, size_t end) {
    parts.fused.take_word(text.substr(begin, end - begin), scratch, ids);
    return ids.size() < limit;
  });
}

IdEncoder::IdEncoder(const Tokenizer& tokenizer) : state_(std::make_unique<State>(*tokenizer.parts_)) {}
IdEncoder::~IdEncoder() = default;
IdEncoder::IdEncoder(IdEncoder&&) noexcept = default;
IdEncoder& IdEncoder::operator=(IdEncoder&&) noexcept = default;

void IdEncoder::append(const TextPair& texts, const EncodeOptions& options, std::vector<int32_t>& ids,
                       std::vector<int32_t>* type_ids) {
  const bool pair = texts.second.has_value();
  const Tokenizer::Parts& parts = state_->parts;
  std::vector<int32_t>&first = state_->first, &second = state_->second;
  const int64_t budget = parts.budget(pair, options);
  const Limits limit = limits(pair, budget, options.truncation);
  state_->encode(texts.first, limit.first, first);
  second.clear();
  if (pair) state_->encode(*texts.second, limit.second, second);
  const Lengths kept = truncated({std::ssize(first), std::ssize(second)}, pair, budget, options.truncation);
  first.resize(static_cast<size_t>(kept.first));
  second.resize(static_cast<size_t>(kept.second));
  assemble(parts.post_processor.parts(pair), first, second, options.add_special_tokens, ids, type_ids);
}

}  // namespace portune::text

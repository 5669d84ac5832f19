#include "portune/text/fused_pass.h"

#include "portune/text/fused_bert.h"
#include "portune/text/fused_byte_level.h"
#include "portune/text/pretokenize/bert.h"

namespace portune::text {

FusedPassPtr fused_pass(const Normalizer* normalizer, const PreTokenizer* pre_tokenizer, const Model& model) {
  const auto* wordpiece = dynamic_cast<const WordPiece*>(&model);
  const auto* bert = dynamic_cast<const BertNormalizer*>(normalizer);
  if (wordpiece != nullptr && bert != nullptr && dynamic_cast<const BertPreTokenizer*>(pre_tokenizer) != nullptr) {
    return std::make_unique<FusedBert>(*bert, *wordpiece);
  }
  return fused_byte_level(pre_tokenizer, model);
}

void append_word(const Model& model, std::string_view word, FusedScratch& scratch, std::vector<int32_t>& ids) {
  const bool is_short = word.size() <= ShortKey::kMaxBytes;
  const ShortKey key = is_short ? ShortKey::of(word) : ShortKey{};
  const uint64_t hash = key.hash();
  std::span<const int32_t> known;
  if (is_short) known = scratch.words.find(key, hash);
  if (known.empty()) {
    model.tokenize(word, scratch.pieces);
    scratch.ids.clear();
    for (const Piece& piece : scratch.pieces) scratch.ids.push_back(piece.id);
    known = is_short && !scratch.ids.empty() ? scratch.words.insert(key, hash, scratch.ids) : scratch.ids;
  }
  ids.insert(ids.end(), known.begin(), known.end());
}

}  // namespace portune::text

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

}  // namespace portune::text

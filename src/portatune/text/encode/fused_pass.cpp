#include "portatune/text/encode/fused_pass.h"

#include "portatune/text/encode/fused_bert.h"
#include "portatune/text/encode/fused_byte_level.h"
#include "portatune/text/pretokenize/bert.h"

namespace portatune::text {

FusedPassPtr fused_pass(const Normalizer* normalizer, const PreTokenizer* pre_tokenizer, const Model& model) {
  const auto* wordpiece = dynamic_cast<const WordPiece*>(&model);
  const auto* bert = dynamic_cast<const BertNormalizer*>(normalizer);
  if (wordpiece != nullptr && bert != nullptr && dynamic_cast<const BertPreTokenizer*>(pre_tokenizer) != nullptr) {
    return std::make_unique<FusedBert>(*bert, *wordpiece);
  }
  return fused_byte_level(pre_tokenizer, model);
}

}  // namespace portatune::text

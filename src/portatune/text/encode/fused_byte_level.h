// Byte-level models' splitting rules and merges in one pass over the bytes.
#pragma once

#include <array>

#include "portatune/text/encode/fused_pass.h"
#include "portatune/text/model/bpe.h"
#include "portatune/text/pattern/word_scanner.h"

namespace portatune::text {

/// The pass for ByteLevel, or for Split by rules that are known and then ByteLevel, and a BPE model that has a token
/// for each byte. Null for other stages.
FusedPassPtr fused_byte_level(const PreTokenizer* pre_tokenizer, const Model& model);

}  // namespace portatune::text

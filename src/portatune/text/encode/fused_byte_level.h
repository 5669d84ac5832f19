// The splitting rules and merges of byte-level models in one pass over the bytes.
#pragma once

#include <array>

#include "portatune/text/encode/fused_pass.h"
#include "portatune/text/model/bpe.h"
#include "portatune/text/pattern/word_scanner.h"

namespace portatune::text {

/// The pass for ByteLevel, alone or after Split by known rules, with a BPE model that has a token for each byte. Null
/// for other stages.
FusedPassPtr fused_byte_level(const PreTokenizer* pre_tokenizer, const Model& model);

}  // namespace portatune::text

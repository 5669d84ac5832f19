// The tokenizers of Marian: one for each side of a translation.
#pragma once

#include <filesystem>

#include "portatune/text/read/spec.h"

namespace portatune::text {

enum class MarianSide { kSource, kTarget };

/// Returns whether the tokenizers of a folder are those of Marian: it has source.spm, target.spm and vocab.json, and
/// neither tokenizer.json nor vocab.txt, which come first.
bool is_marian(const std::filesystem::path& folder);

/// Reads one side. Pieces are those of its SentencePiece model. Their ids are those of vocab.json; for targets with
/// `separate_vocabs` those of target_vocab.json.
/// errors    CheckpointError for invalid content, and for models of SentencePiece other than Unigram with the usual
///           spaces; NotFoundError, IoError
TokenizerSpec read_marian(const std::filesystem::path& folder, const TokenizerConfig& config, MarianSide side);

}  // namespace portatune::text

// SentencePiece's model files: spiece.model, sentencepiece.bpe.model, tokenizer.model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace portatune::text {

/// The parts of sentencepiece_model.proto that matter here.
struct SentencePieceModel {
  enum class Kind { kUnigram = 1, kBpe = 2 };
  struct Piece {
    std::string text;
    float score = 0;
    bool control = false;       ///< special: <s> and the like
    bool user_defined = false;  ///< found in the text before the model sees it
  };

  std::vector<Piece> pieces;  ///< by id
  Kind kind = Kind::kUnigram;
  bool byte_fallback = false;
  int32_t unk_id = 0;
  std::string unk_piece = "<unk>", bos_piece = "<s>", eos_piece = "</s>";
  std::string charsmap;  ///< of the normalizer; empty: none
};

/// errors    UsageError for what is no such file
SentencePieceModel parse_sentencepiece_model(std::string_view bytes);
/// errors    CheckpointError for what is no such file; NotFoundError, IoError
SentencePieceModel read_sentencepiece_model(const std::filesystem::path& file);

}  // namespace portatune::text

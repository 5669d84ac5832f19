// SentencePiece's model files: spiece.model, sentencepiece.bpe.model, tokenizer.model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace portatune::text {

/// The parts of sentencepiece_model.proto that Portatune needs.
struct SentencePieceModel {
  enum class Kind { kUnigram = 1, kBpe = 2 };
  struct Piece {
    std::string text;
    float score = 0;
    bool control = false;       ///< special, such as <s>
    bool unknown = false;       ///< stands for all that no piece covers
    bool unused = false;        ///< never found in a text
    bool user_defined = false;  ///< found in the text before the model sees it
  };

  std::vector<Piece> pieces;  ///< by id
  Kind kind = Kind::kUnigram;
  bool byte_fallback = false;
  int32_t unk_id = 0;
  std::string unk_piece = "<unk>", bos_piece = "<s>", eos_piece = "</s>";
  std::string charsmap;  ///< table of the normalizer; empty: none
  /// A space before a text, none at its end, one between its words, each shown as U+2581 before the word.
  bool has_usual_spaces = true;
};

/// Parses the bytes of a model file.
/// errors    UsageError for any other content
SentencePieceModel parse_sentencepiece_model(std::string_view bytes);
/// Reads a model file.
/// errors    CheckpointError for any other content; NotFoundError, IoError
SentencePieceModel read_sentencepiece_model(const std::filesystem::path& file);

}  // namespace portatune::text

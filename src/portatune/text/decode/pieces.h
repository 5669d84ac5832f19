// Decoders that undo what models do to pieces.
#pragma once

#include <string>

#include "portatune/text/decode/decoder.h"

namespace portatune::text {

/// WordPiece: pieces with the prefix continue a word; cleanup takes away spaces that English has not.
class WordPieceDecoder final : public Decoder {
 public:
  WordPieceDecoder(std::string prefix, bool cleanup) : prefix_(std::move(prefix)), cleanup_(cleanup) {}
  void decode(std::vector<std::string>& tokens) const override;

 private:
  std::string prefix_;
  bool cleanup_;
};

/// BPEDecoder: a piece with the suffix ends a word.
class BpeDecoder final : public Decoder {
 public:
  explicit BpeDecoder(std::string suffix) : suffix_(std::move(suffix)) {}
  void decode(std::vector<std::string>& tokens) const override;

 private:
  std::string suffix_;
};

/// Metaspace: the replacement is a space, but at the beginning of the text nothing if a space was put there.
class MetaspaceDecoder final : public Decoder {
 public:
  MetaspaceDecoder(std::string replacement, bool prepended)
      : replacement_(std::move(replacement)), prepended_(prepended) {}
  void decode(std::vector<std::string>& tokens) const override;

 private:
  std::string replacement_;
  bool prepended_;
};

/// `text` with each `from` replaced by `to`, from left to right. `from` is not empty.
std::string replaced(std::string_view text, std::string_view from, std::string_view to);

}  // namespace portatune::text

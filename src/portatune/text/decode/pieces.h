// Decoders that undo the changes of models to pieces.
#pragma once

#include <string>

#include "portatune/text/decode/decoder.h"

namespace portatune::text {

/// WordPiece: pieces with the prefix continue a word. `cleanup` removes spaces that English text does not have.
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

/// Metaspace: turns the replacement into a space, or into nothing at the beginning of a text with a prepended space.
class MetaspaceDecoder final : public Decoder {
 public:
  MetaspaceDecoder(std::string replacement, bool prepended)
      : replacement_(std::move(replacement)), prepended_(prepended) {}
  void decode(std::vector<std::string>& tokens) const override;

 private:
  std::string replacement_;
  bool prepended_;
};

/// The text with each `from` replaced by `to`, from left to right. `from` must not be empty.
std::string replaced(std::string_view text, std::string_view from, std::string_view to);

}  // namespace portatune::text

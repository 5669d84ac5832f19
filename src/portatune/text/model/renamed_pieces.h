// A model whose tokens have the ids of another vocabulary.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "portatune/text/model/model.h"

namespace portatune::text {

/// Splits words with another model, and looks its tokens up in a vocabulary by their text. A token that the vocabulary
/// lacks is unknown; a token that the other model does not know either has the text that it stands for. A word without
/// a visible space at its begin, such as a language code, is one token.
class RenamedPieces final : public Model {
 public:
  /// pieces      the model that splits, and its unknown token
  /// vocabulary  the ids, and its unknown token
  RenamedPieces(ModelPtr pieces, int32_t unknown_piece, Vocabulary vocabulary, int32_t unk_id)
      : Model(std::move(vocabulary)), pieces_(std::move(pieces)), unknown_piece_(unknown_piece), unk_id_(unk_id) {}

  void tokenize(std::string_view word, std::vector<Piece>& pieces) const override;

 private:
  ModelPtr pieces_;
  int32_t unknown_piece_, unk_id_;
};

}  // namespace portatune::text

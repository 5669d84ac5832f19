#include "portatune/text/model/renamed_pieces.h"

#include "portatune/text/pretokenize/sentencepiece_words.h"

namespace portatune::text {

void RenamedPieces::tokenize(std::string_view word, std::vector<Piece>& pieces) const {
  if (word.starts_with(kVisibleSpace)) {
    pieces_->tokenize(word, pieces);
  } else {
    pieces.assign(1, {unknown_piece_, 0, static_cast<uint32_t>(word.size())});
  }
  for (Piece& piece : pieces) {
    const std::string_view text = piece.id == unknown_piece_ ? word.substr(piece.begin, piece.end - piece.begin)
                                                             : pieces_->vocabulary().token(piece.id);
    piece.id = vocabulary().find(text).value_or(unk_id_);
  }
}

}  // namespace portatune::text

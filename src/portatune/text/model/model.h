// The stage that cuts words into tokens.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "portatune/text/model/vocabulary.h"

namespace portatune::text {

/// A token, and the bytes [begin, end) of its word that it stands for.
struct Piece {
  int32_t id;
  uint32_t begin, end;
};

/// A model of tokenizer.json. Immutable.
class Model {
 public:
  explicit Model(Vocabulary vocabulary) : vocabulary_(std::move(vocabulary)) {}
  virtual ~Model() = default;

  const Vocabulary& vocabulary() const { return vocabulary_; }
  /// Number of tokens; the first added token that the vocabulary lacks gets this id.
  virtual int64_t size() const { return vocabulary_.size(); }

  /// Where a piece of `word` ends that begins at `begin`, the start of the word or the end of such a piece, and whose
  /// tokens do not depend on the rest: so the words of a text that no pre-tokenizer has cut.
  virtual size_t end_of_part(std::string_view word, [[maybe_unused]] size_t begin) const { return word.size(); }

  /// Replaces `pieces` by those of the word, which is not empty.
  virtual void tokenize(std::string_view word, std::vector<Piece>& pieces) const = 0;

 private:
  Vocabulary vocabulary_;
};
using ModelPtr = std::unique_ptr<const Model>;

}  // namespace portatune::text

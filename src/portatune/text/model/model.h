// The stage that splits words into tokens.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "portatune/text/model/vocabulary.h"

namespace portatune::text {

/// A token, and the bytes [begin, end) of its word that it covers.
struct Piece {
  int32_t id;
  uint32_t begin, end;
};

/// A model of tokenizer.json. It is immutable.
class Model {
 public:
  explicit Model(Vocabulary vocabulary) : vocabulary_(std::move(vocabulary)) {}
  virtual ~Model() = default;

  const Vocabulary& vocabulary() const { return vocabulary_; }
  /// Number of tokens. The first added token that the vocabulary lacks gets this id.
  virtual int64_t size() const { return vocabulary_.size(); }

  /// The end of the part of `word` that begins at `begin`, where `begin` is 0 or the end of another part. The tokens of
  /// a part do not depend on the other parts. Parts are the words of a text without a pre-tokenizer.
  virtual size_t end_of_part(std::string_view word, [[maybe_unused]] size_t begin) const { return word.size(); }

  /// Replaces `pieces` by those of `word`, which must not be empty.
  virtual void tokenize(std::string_view word, std::vector<Piece>& pieces) const = 0;

 private:
  Vocabulary vocabulary_;
};
using ModelPtr = std::unique_ptr<const Model>;

}  // namespace portatune::text

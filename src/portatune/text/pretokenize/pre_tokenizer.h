// The stage that cuts a text into words.
#pragma once

#include <memory>
#include <vector>

#include "portatune/text/normalized.h"

namespace portatune::text {

/// A text cut into words, which are in order and not empty.
struct Words {
  struct Word {
    Span span;       ///< of `text`
    int32_t origin;  ///< where it begins in the original text, in code points; without origins only whether that is 0
  };
  Normalized text;
  std::vector<Word> words;

  std::string_view text_of(const Word& word) const {
    return std::string_view(text.text()).substr(word.span.begin, word.span.end - word.span.begin);
  }
  /// Makes the whole text one word, or none if it is empty.
  void assign_whole();
  /// A word that is a piece of `word`.
  Word piece_of(const Word& word, Span span) const;
};

/// A pre-tokenizer of tokenizer.json. Immutable.
class PreTokenizer {
 public:
  virtual ~PreTokenizer() = default;
  /// Cuts each word, and may change its text.
  virtual void split(Words& words) const = 0;
  /// Whether words depend on their place in the original text.
  virtual bool needs_origins() const { return false; }
  /// Whether it cuts at the first space of each segment (segments.h), and segments become the words that they become as
  /// parts of the text.
  virtual bool works_by_segment() const { return false; }
};
using PreTokenizerPtr = std::unique_ptr<const PreTokenizer>;

/// A pre-tokenizer that cuts and changes nothing.
class Cutter : public PreTokenizer {
 public:
  void split(Words& words) const final;

 protected:
  /// Appends the pieces of `word` to keep, in order. Empty ones do not count.
  virtual void cut(std::string_view word, std::vector<Span>& pieces) const = 0;
};

}  // namespace portatune::text

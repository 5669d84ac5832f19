// The stage that splits a text into words.
#pragma once

#include <memory>
#include <vector>

#include "portatune/text/normalized.h"

namespace portatune::text {

/// A text with its words, in order and not empty.
struct Words {
  struct Word {
    Span span;       ///< range in `text`
    int32_t origin;  ///< offset in the original text, in code points; without origins it matters only whether this is 0
  };
  Normalized text;
  std::vector<Word> words;

  std::string_view text_of(const Word& word) const {
    return std::string_view(text.text()).substr(word.span.begin, word.span.end - word.span.begin);
  }
  /// Makes the whole text one word, or no word if it is empty.
  void assign_whole();
  /// The part `span` of `word` as a word.
  Word piece_of(const Word& word, Span span) const;
};

/// A pre-tokenizer of tokenizer.json. It is immutable.
class PreTokenizer {
 public:
  virtual ~PreTokenizer() = default;
  /// Splits each word, and may change its text.
  virtual void split(Words& words) const = 0;
  /// True if words depend on their position in the original text.
  virtual bool needs_origins() const { return false; }
  /// True if it splits at the first space of each segment (segments.h), and each segment gives the same words alone as
  /// within the text.
  virtual bool works_by_segment() const { return false; }
};
using PreTokenizerPtr = std::unique_ptr<const PreTokenizer>;

/// A pre-tokenizer that splits words without changing their text.
class Cutter : public PreTokenizer {
 public:
  void split(Words& words) const final;

 protected:
  /// Appends the pieces of `word` that stay, in order. Empty pieces are dropped.
  virtual void cut(std::string_view word, std::vector<Span>& pieces) const = 0;
};

}  // namespace portatune::text

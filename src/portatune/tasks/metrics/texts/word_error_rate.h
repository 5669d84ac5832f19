// Word error rate and character error rate: the edits that turn transcriptions into their references.
#pragma once

#include <cstdint>
#include <string_view>

namespace portatune::tasks {

/// Edits of a corpus in relation to the size of its references.
class ErrorRate {
 public:
  /// Substitutions, deletions and insertions divided by the units of all references. If these are empty, the number of
  /// insertions.
  double result() const;

 protected:
  void add(int64_t edits, int64_t units);

 private:
  int64_t edits_ = 0, units_ = 0;
};

/// Words are separated by single spaces and by runs of white space.
/// source  jiwer.wer() with its defaults
class WordErrorRate : public ErrorRate {
 public:
  void add(std::string_view reference, std::string_view text);
};

/// Characters are Unicode code points; spaces between words count, those at both ends do not.
/// source  jiwer.cer() with its defaults
class CharacterErrorRate : public ErrorRate {
 public:
  void add(std::string_view reference, std::string_view text);
};

}  // namespace portatune::tasks

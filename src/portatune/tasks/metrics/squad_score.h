// SQuAD's measure of agreement between an answer and the expected ones.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace portatune::tasks {

/// The text in lower case, without ASCII punctuation, the words a, an, the, and surplus white space.
std::string normalized_answer(std::string_view text);

struct AnswerScore {
  double exact = 0;  ///< 1 if the normalized texts are equal
  double f1 = 0;     ///< of their words; if one text has none, 1 if the other has none either
};

/// The best agreement with any of the expected answers. Those without a word do not count; if none is left, the
/// expected answer is empty.
/// source    the official evaluator of SQuAD 2.0, as in transformers' squad_metrics.py. Unlike Python's lower(), a
///           capital sigma at the end of a word becomes the same letter as elsewhere.
AnswerScore score_answer(std::string_view given, std::span<const std::string> expected);

}  // namespace portatune::tasks

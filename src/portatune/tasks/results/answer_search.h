// Search for the answers of questions in the logits of their windows.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "portatune/tasks/question_answering.h"

namespace portatune::tasks {

/// The answer to a question.
struct Answer {
  std::string id;
  std::string text;              ///< empty: no answer
  double probability = 0;        ///< softmax of the text among the best spans and, with version 2, no answer
  int64_t begin = 0, end = 0;    ///< code points of the context
  double null_score_diff = 0;    ///< score of no answer minus that of the best span
  std::string expected_answers;  ///< the row's column of answers, in JSON; empty if it has none
};

/// Collects the windows of each question, which must be consecutive, and answers it when the next question begins.
/// source    postprocess_qa_predictions of transformers' run_qa.py. The answer is empty if there is no span at all.
class AnswerSearch {
 public:
  explicit AnswerSearch(const QuestionAnsweringOptions& options) : options_(options) {}

  /// Returns the answers that are complete with this batch of windows of QuestionAnswering::encode.
  /// outputs  "start_logits" and "end_logits" [batch, seq]
  std::vector<Answer> take(const data::Example& batch, const data::Example& outputs);
  /// The answer to the current question; nothing if there is none.
  std::optional<Answer> last() const;

 private:
  struct Span {
    int32_t begin, end;
    float score;
  };
  struct Question {
    std::string id, context, expected_answers;
    std::vector<Span> spans;  // the best spans, best first
    float null_score;         // the lowest of all windows
  };
  struct Window {
    std::span<const float> start_logits, end_logits;
    std::span<const int32_t> begins, ends;
  };

  void add(const Window& window);
  std::span<const Span> n_best(const Question& question) const;

  QuestionAnsweringOptions options_;
  std::optional<Question> question_;
};

}  // namespace portatune::tasks

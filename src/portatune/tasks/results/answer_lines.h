// Prediction files of question answering.
#pragma once

#include "portatune/tasks/results/answer_search.h"

namespace portatune::tasks {

/// One JSON object per line and question.
class AnswerLines final : public PredictionLines {
 public:
  explicit AnswerLines(const QuestionAnsweringOptions& options)
      : version_2_(options.version_2_with_negative), search_(options) {}
  std::string take(const data::Example& batch, const data::Example& outputs) override;
  std::string finish() override;

 private:
  std::string line_of(const Answer& answer) const;

  const bool version_2_;
  AnswerSearch search_;
};

/// One JSON object, {id: text, ...}: predictions.json of SQuAD's evaluators.
class AnswerDocument final : public PredictionLines {
 public:
  explicit AnswerDocument(const QuestionAnsweringOptions& options) : search_(options) {}
  std::string take(const data::Example& batch, const data::Example& outputs) override;
  std::string finish() override;

 private:
  std::string entry_of(const Answer& answer);

  AnswerSearch search_;
  bool empty_ = true;  // true before the first entry
};

}  // namespace portatune::tasks

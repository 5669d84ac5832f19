// Metrics of question answering.
#pragma once

#include "portatune/tasks/metrics/squad_score.h"
#include "portatune/tasks/results/answer_search.h"

namespace portatune::tasks {

/// "exact_match" and "f1" in percent over all questions; with version 2 also "has_answer_exact_match", "has_answer_f1"
/// and "no_answer_exact_match", if there are such questions. Reads the columns and outputs that AnswerSearch reads.
class AnswerMetrics final : public Metrics {
 public:
  explicit AnswerMetrics(const QuestionAnsweringOptions& options)
      : version_2_(options.version_2_with_negative), search_(options) {}
  void update(const data::Example& batch, const data::Example& outputs) override;
  bool in_row_order() const override { return true; }
  Scores result() const override;

 private:
  struct Sums {
    int64_t questions = 0;
    double exact = 0, f1 = 0;
  };
  struct Totals {
    Sums all, answerable, unanswerable;
    void add(const Answer& answer);
  };

  const bool version_2_;
  AnswerSearch search_;
  Totals totals_;
};

}  // namespace portatune::tasks

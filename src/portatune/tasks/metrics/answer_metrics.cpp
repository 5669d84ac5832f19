#include "portatune/tasks/metrics/answer_metrics.h"

#include <nlohmann/json.hpp>

namespace portatune::tasks {

void AnswerMetrics::Totals::add(const Answer& answer) {
  const nlohmann::json column = nlohmann::json::parse(answer.expected_answers);  // checked by QuestionAnswering::encode
  const std::vector<std::string> expected = column["text"];
  const AnswerScore score = score_answer(answer.text, expected);
  for (Sums* sums : {&all, expected.empty() ? &unanswerable : &answerable}) {
    ++sums->questions;
    sums->exact += score.exact;
    sums->f1 += score.f1;
  }
}

void AnswerMetrics::update(const data::Example& batch, const data::Example& outputs) {
  for (const Answer& answer : search_.take(batch, outputs)) totals_.add(answer);
}

Scores AnswerMetrics::result() const {
  Totals totals = totals_;
  if (const auto answer = search_.last()) totals.add(*answer);
  Scores scores;
  const auto percent = [&](const char* name, double sum, const Sums& of) {
    if (of.questions > 0) scores.emplace_back(name, 100 * sum / static_cast<double>(of.questions));
  };
  percent("exact_match", totals.all.exact, totals.all);
  percent("f1", totals.all.f1, totals.all);
  if (!version_2_) return scores;
  percent("has_answer_exact_match", totals.answerable.exact, totals.answerable);
  percent("has_answer_f1", totals.answerable.f1, totals.answerable);
  percent("no_answer_exact_match", totals.unanswerable.exact, totals.unanswerable);
  return scores;
}

}  // namespace portatune::tasks

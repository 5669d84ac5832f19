#include "portatune/tasks/results/answer_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "portatune/error.h"
#include "portatune/tasks/rows/code_points.h"

namespace portatune::tasks {
namespace {

constexpr size_t kNullPosition = 0;  // position of [CLS], whose logits are those of no answer

// Positions of the highest logits, the highest first.
std::vector<size_t> highest(std::span<const float> logits, size_t count) {
  std::vector<size_t> places(logits.size());
  std::iota(places.begin(), places.end(), 0);
  count = std::min(count, places.size());
  std::ranges::partial_sort(places, places.begin() + static_cast<std::ptrdiff_t>(count), [&](size_t a, size_t b) {
    return logits[a] > logits[b] || (logits[a] == logits[b] && a > b);
  });
  places.resize(count);
  return places;
}

template <class T>
std::span<const T> row_of(const Tensor& tensor, size_t row) {
  const size_t length = static_cast<size_t>(tensor.shape()[1]);
  return tensor.as<T>().subspan(row * length, length);
}

}  // namespace

std::vector<Answer> AnswerSearch::take(const data::Example& batch, const data::Example& outputs) {
  const std::span<const float> weights = batch.tensor(data::kExampleWeight).as<float>();
  const std::span<const int32_t> windows = batch.tensor("window").as<int32_t>();
  std::vector<Answer> answers;
  for (size_t row = 0; row < weights.size(); ++row) {
    if (weights[row] == 0) continue;
    if (windows[row] == 0) {
      if (question_) answers.push_back(*last());
      question_ = Question{.id = batch.texts("id")[row],
                           .context = batch.texts("context")[row],
                           .expected_answers = batch.has("answers") ? batch.texts("answers")[row] : "",
                           .spans = {},
                           .null_score = std::numeric_limits<float>::infinity()};
    }
    if (!question_) {
      throw DataError({.where = to_string(batch.origin()),
                       .given = "window " + std::to_string(windows[row]) + " of a question without its first window",
                       .expected = "consecutive windows of each question"});
    }
    add({.start_logits = row_of<float>(outputs.tensor("start_logits"), row),
         .end_logits = row_of<float>(outputs.tensor("end_logits"), row),
         .begins = row_of<int32_t>(batch.tensor("span_begins"), row),
         .ends = row_of<int32_t>(batch.tensor("span_ends"), row)});
  }
  return answers;
}

void AnswerSearch::add(const Window& window) {
  const auto count = static_cast<size_t>(options_.n_best_size);
  question_->null_score =
      std::min(question_->null_score, window.start_logits[kNullPosition] + window.end_logits[kNullPosition]);
  std::vector<Span>& spans = question_->spans;
  const std::vector<size_t> last_tokens = highest(window.end_logits, count);
  for (const size_t first : highest(window.start_logits, count)) {
    for (const size_t last : last_tokens) {
      if (window.begins[first] < 0 || window.begins[last] < 0 || last < first) continue;
      if (static_cast<int64_t>(last - first) >= options_.max_answer_length) continue;
      spans.push_back({window.begins[first], window.ends[last], window.start_logits[first] + window.end_logits[last]});
    }
  }
  std::ranges::stable_sort(spans, std::greater(), &Span::score);
  if (spans.size() > count) spans.resize(count);
}

// The spans among the n best. With version 2 no answer is one of these, and replaces the last span if its score is
// higher.
std::span<const AnswerSearch::Span> AnswerSearch::n_best(const Question& question) const {
  const std::span<const Span> spans = question.spans;
  const bool is_full = std::ssize(spans) == options_.n_best_size;
  const bool loses_one = options_.version_2_with_negative && is_full && question.null_score > spans.back().score;
  return spans.first(spans.size() - (loses_one ? 1 : 0));
}

std::optional<Answer> AnswerSearch::last() const {
  if (!question_) return std::nullopt;
  const Question& question = *question_;
  Answer answer{.id = question.id, .expected_answers = question.expected_answers};
  const auto best = std::ranges::find_if(question.spans, [](const Span& span) { return span.end > span.begin; });
  const bool found = best != question.spans.end();
  if (found) answer.null_score_diff = question.null_score - best->score;
  const bool is_null =
      !found || (options_.version_2_with_negative && answer.null_score_diff > options_.null_score_diff_threshold);
  const double score = is_null ? question.null_score : best->score;
  double total = options_.version_2_with_negative || !found ? std::exp(question.null_score - score) : 0;
  for (const Span& span : n_best(question)) total += std::exp(span.score - score);
  answer.probability = 1 / total;
  if (is_null) return answer;
  answer.begin = best->begin;
  answer.end = best->end;
  answer.text = substring(question.context, best->begin, best->end);
  return answer;
}

}  // namespace portatune::tasks

#include "portatune/tasks/metrics/tag_metrics.h"

#include <utility>

#include "portatune/tasks/metrics/entities.h"

namespace portatune::tasks {
namespace {

double share(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::vector<TaggedSentence> tagged_sentences(const data::Example& batch, const data::Example& outputs,
                                             const std::vector<std::string>& tags) {
  const std::span<const float> weights = batch.tensor(data::kExampleWeight).as<float>();
  const std::span<const int32_t> labels = batch.tensor("labels").as<int32_t>();
  const std::span<const int32_t> word_counts = batch.tensor("word_count").as<int32_t>();
  const std::span<const int32_t> ids = outputs.tensor(kTagIds).as<int32_t>();
  const size_t length = labels.size() / weights.size();
  std::vector<TaggedSentence> sentences;
  for (size_t row = 0; row < weights.size(); ++row) {
    if (weights[row] == 0) continue;
    TaggedSentence& sentence = sentences.emplace_back();
    for (size_t i = row * length; i < (row + 1) * length; ++i) {
      if (labels[i] < 0) continue;
      sentence.expected.push_back(tags[static_cast<size_t>(labels[i])]);
      sentence.predicted.push_back(tags[static_cast<size_t>(ids[i])]);
    }
    sentence.words_left_out = word_counts[row] - std::ssize(sentence.expected);
  }
  return sentences;
}

void TagMetrics::update(const data::Example& batch, const data::Example& outputs) {
  for (const TaggedSentence& sentence : tagged_sentences(batch, outputs, labels_)) add_sentence(sentence);
}

void TagMetrics::add_sentence(const TaggedSentence& sentence) {
  const auto& [expected, predicted, words_left_out] = sentence;
  words_left_out_ += words_left_out;
  words_ += std::ssize(expected);
  for (size_t i = 0; i < expected.size(); ++i) right_words_ += expected[i] == predicted[i];
  std::vector<Entity> of_expected = entities_in(expected), of_predicted = entities_in(predicted);
  expected_entities_ += std::ssize(of_expected);
  predicted_entities_ += std::ssize(of_predicted);
  common_entities_ += std::ssize(common_entities(std::move(of_expected), std::move(of_predicted)));
}

Scores TagMetrics::result() const {
  Scores scores = {{"precision", share(common_entities_, predicted_entities_)},
                   {"recall", share(common_entities_, expected_entities_)},
                   {"f1", share(2 * common_entities_, predicted_entities_ + expected_entities_)}};
  if (words_ > 0) scores.emplace_back("accuracy", share(right_words_, words_));
  if (words_left_out_ > 0) scores.emplace_back("words_left_out", static_cast<double>(words_left_out_));
  return scores;
}

}  // namespace portatune::tasks

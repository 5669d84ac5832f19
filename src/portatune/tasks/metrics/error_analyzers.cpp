#include "portatune/tasks/metrics/error_analyzers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "portatune/base/text/message.h"
#include "portatune/tasks/metrics/classification_metrics.h"
#include "portatune/tasks/metrics/entities.h"
#include "portatune/tasks/metrics/tag_metrics.h"

namespace portatune::tasks {
namespace {

using metrics::ClassCounts;
using Mistake = ErrorAnalysis::Mistake;
using Names = std::vector<std::string>;

constexpr size_t kMaxConfusions = 1000;  // all of 32 classes

// The mistakes with the highest losses; of equal ones those that came first.
class WorstMistakes {
 public:
  explicit WorstMistakes(int64_t max) : max_(static_cast<size_t>(max)) {}

  // make  function that returns the mistake, called only if it is kept
  template <class Make>
  void add(double loss, const Make& make) {
    const auto place = std::ranges::upper_bound(kept_, loss, std::greater(), &Mistake::loss);
    if (place - kept_.begin() == static_cast<std::ptrdiff_t>(max_)) return;
    kept_.insert(place, make());
    if (kept_.size() > max_) kept_.pop_back();
  }
  const std::vector<Mistake>& all() const { return kept_; }

 private:
  const size_t max_;
  std::vector<Mistake> kept_;
};

data::Origin origin_of(const data::Example& batch, size_t row) {
  const std::vector<data::Origin>& origins = batch.row_origins();
  return row < origins.size() ? origins[row] : batch.origin();
}

// -log(sigmoid(logit)) or, for a label that does not apply, -log(1 - sigmoid(logit)).
double binary_cross_entropy(double logit, bool applies) {
  const double x = applies ? -logit : logit;
  return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

// -log(softmax(logits)[label]).
double cross_entropy(std::span<const float> logits, size_t label) {
  const double highest = std::ranges::max(logits);
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit - highest);
  return std::log(sum) + highest - logits[label];
}

std::vector<ErrorAnalysis::Class> classes_with(const Names& names, const std::vector<ClassCounts>& counts) {
  std::vector<ErrorAnalysis::Class> classes;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i].predicted > 0 || counts[i].expected > 0) classes.push_back({names[i], counts[i]});
  }
  return classes;
}

class ClassErrors final : public ErrorAnalyzer {
 public:
  ClassErrors(Head head, Names names, int64_t max_mistakes)
      : head_(head), names_(std::move(names)), counts_(names_.size()), worst_(max_mistakes) {}

  void update(const data::Example& batch, const data::Example& outputs) override {
    const ScoredRows rows = scored_classes(head_, batch, outputs);
    for (size_t row = 0; row < rows.rows(); ++row) {
      if (rows.weights[row] > 0) add(rows, row, batch);
    }
  }

  ErrorAnalysis result() const override {
    ErrorAnalysis analysis{.classes = classes_with(names_, counts_), .mistakes = worst_.all()};
    for (const auto& [pair, count] : confusions_) {
      analysis.confusions.push_back({names_[pair.first], names_[pair.second], count});
    }
    std::ranges::stable_sort(analysis.confusions, std::greater(), &ErrorAnalysis::Confusion::count);
    if (analysis.confusions.size() > kMaxConfusions) analysis.confusions.resize(kMaxConfusions);
    return analysis;
  }

 private:
  void add(const ScoredRows& rows, size_t row, const data::Example& batch) {
    const auto label = static_cast<size_t>(rows.targets[row]), predicted = static_cast<size_t>(rows.predicted[row]);
    const double weight = rows.weights[row];
    counts_[label].expected += weight;
    counts_[predicted].predicted += weight;
    if (label == predicted) {
      counts_[label].hits += weight;
      return;
    }
    confusions_[{label, predicted}] += weight;
    const double loss = loss_of(rows, row, label);
    worst_.add(loss, [&] {
      return Mistake{.row = origin_of(batch, row),
                     .label = names_[label],
                     .prediction = names_[predicted],
                     .probability = rows.probabilities[row * names_.size() + predicted],
                     .loss = loss};
    });
  }

  static double loss_of(const ScoredRows& rows, size_t row, size_t label) {
    const auto columns = static_cast<size_t>(rows.columns);
    if (columns == 1) return binary_cross_entropy(rows.logits[row], label == 1);
    return cross_entropy(std::span(rows.logits).subspan(row * columns, columns), label);
  }

  const Head head_;
  const Names names_;
  std::vector<ClassCounts> counts_;
  std::map<std::pair<size_t, size_t>, double> confusions_;  // by label and prediction
  WorstMistakes worst_;
};

class LabelErrors final : public ErrorAnalyzer {
 public:
  LabelErrors(Names names, int64_t max_mistakes)
      : names_(std::move(names)), counts_(names_.size()), worst_(max_mistakes) {}

  void update(const data::Example& batch, const data::Example& outputs) override {
    const ScoredRows rows = scored_labels(batch, outputs);
    for (size_t row = 0; row < rows.rows(); ++row) {
      if (rows.weights[row] > 0) add(rows, row, batch);
    }
  }

  ErrorAnalysis result() const override {
    return {.classes = classes_with(names_, counts_), .confusions = {}, .mistakes = worst_.all()};
  }

 private:
  void add(const ScoredRows& rows, size_t row, const data::Example& batch) {
    double loss = 0, right = 1;  // the probability of the prediction is that of all its labels together
    bool is_wrong = false;
    Names labels, predictions;
    for (size_t i = 0; i < names_.size(); ++i) {
      const size_t at = row * names_.size() + i;
      const bool applies = rows.targets[at] > 0, predicted = rows.predicted[at] > 0;
      const double weight = rows.weights[row];
      counts_[i].expected += applies ? weight : 0;
      counts_[i].predicted += predicted ? weight : 0;
      counts_[i].hits += applies && predicted ? weight : 0;
      loss += binary_cross_entropy(rows.logits[at], applies);
      right *= std::exp(-binary_cross_entropy(rows.logits[at], predicted));
      is_wrong = is_wrong || applies != predicted;
      if (applies) labels.push_back(names_[i]);
      if (predicted) predictions.push_back(names_[i]);
    }
    if (!is_wrong) return;
    worst_.add(loss, [&] {
      return Mistake{.row = origin_of(batch, row),
                     .label = list_of(labels),
                     .prediction = list_of(predictions),
                     .probability = right,
                     .loss = loss};
    });
  }

  const Names names_;
  std::vector<ClassCounts> counts_;
  WorstMistakes worst_;
};

class NumberErrors final : public ErrorAnalyzer {
 public:
  explicit NumberErrors(int64_t max_mistakes) : worst_(max_mistakes) {}

  void update(const data::Example& batch, const data::Example& outputs) override {
    const ScoredRows rows = scored_numbers(batch, outputs);
    const auto columns = static_cast<size_t>(rows.columns);
    for (size_t row = 0; row < rows.rows(); ++row) {
      const std::span<const float> wanted = std::span(rows.targets).subspan(row * columns, columns),
                                   found = std::span(rows.logits).subspan(row * columns, columns);
      double error = 0;
      for (size_t i = 0; i < columns; ++i) error += std::abs(double{found[i]} - wanted[i]);
      if (rows.weights[row] == 0 || error == 0) continue;
      worst_.add(error, [&] {
        return Mistake{.row = origin_of(batch, row),
                       .label = text_of(wanted),
                       .prediction = text_of(found),
                       .probability = std::nullopt,
                       .loss = error};
      });
    }
  }

  ErrorAnalysis result() const override { return {.classes = {}, .confusions = {}, .mistakes = worst_.all()}; }

 private:
  static std::string text_of(std::span<const float> numbers) {
    Names texts;
    for (const float number : numbers) texts.push_back(fmt::format("{:.4g}", number));
    return list_of(texts);
  }

  WorstMistakes worst_;
};

class EntityErrors final : public ErrorAnalyzer {
 public:
  explicit EntityErrors(Names tags) : tags_(std::move(tags)) {}

  void update(const data::Example& batch, const data::Example& outputs) override {
    for (const TaggedSentence& sentence : tagged_sentences(batch, outputs, tags_)) {
      std::vector<Entity> expected = entities_in(sentence.expected), predicted = entities_in(sentence.predicted);
      for (const Entity& entity : expected) ++types_[entity.type].expected;
      for (const Entity& entity : predicted) ++types_[entity.type].predicted;
      const std::vector<Entity> common = common_entities(std::move(expected), std::move(predicted));
      for (const Entity& entity : common) ++types_[entity.type].hits;
    }
  }

  ErrorAnalysis result() const override {
    ErrorAnalysis analysis;
    for (const auto& [type, counts] : types_) analysis.classes.push_back({type, counts});
    return analysis;
  }

 private:
  const Names tags_;
  std::map<std::string, ClassCounts> types_;
};

}  // namespace

std::unique_ptr<ErrorAnalyzer> class_errors(Head head, Names classes, int64_t max_mistakes) {
  return std::make_unique<ClassErrors>(head, std::move(classes), max_mistakes);
}

std::unique_ptr<ErrorAnalyzer> label_errors(Names labels, int64_t max_mistakes) {
  return std::make_unique<LabelErrors>(std::move(labels), max_mistakes);
}

std::unique_ptr<ErrorAnalyzer> number_errors(int64_t max_mistakes) {
  return std::make_unique<NumberErrors>(max_mistakes);
}

std::unique_ptr<ErrorAnalyzer> entity_errors(Names tags) { return std::make_unique<EntityErrors>(std::move(tags)); }

}  // namespace portatune::tasks

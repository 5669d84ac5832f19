#include "portatune/tasks/zero_shot_classification.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "portatune/base/text/message.h"
#include "portatune/base/text/utf8.h"
#include "portatune/data/verbs/functions/user_function.h"
#include "portatune/error.h"
#include "portatune/io/text/json.h"
#include "portatune/tasks/prediction_task.h"
#include "portatune/tasks/rows/json_number.h"
#include "portatune/tasks/rows/label_names.h"
#include "portatune/tasks/task_context.h"
#include "portatune/tasks/task_spec.h"

namespace portatune {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kPlace = "{}";

// Indices of the logits of entailment and contradiction.
struct Relations {
  size_t classes, entailment, contradiction;
};

// source  ZeroShotClassificationPipeline of transformers
Relations relations_in(const io::JsonObject& config, const std::function<void(const std::string&)>& notice) {
  std::vector<std::string> names = tasks::labels_in(config);
  if (names.empty()) names = {"LABEL_0", "LABEL_1"};  // the default of transformers
  const auto is_entailment = [](const std::string& name) { return lower_case(name).starts_with("entail"); };
  auto entailment = std::ranges::find_if(names, is_entailment);
  if (entailment == names.end()) {
    entailment = names.end() - 1;
    notice("the model has no class whose name begins with \"entail\": " + in_quotes(*entailment) +
           ", the last one of " + list_of(names) + ", counts as entailment");
  }
  const auto place = static_cast<size_t>(entailment - names.begin());
  return {.classes = names.size(), .entailment = place, .contradiction = place == 0 ? names.size() - 1 : 0};
}

// The options without blank labels and blanks around them.
ZeroShotClassificationOptions checked(ZeroShotClassificationOptions options) {
  for (std::string& label : options.candidate_labels) {
    const size_t begin = label.find_first_not_of(' '), end = label.find_last_not_of(' ');
    label = begin == std::string::npos ? "" : label.substr(begin, end + 1 - begin);
  }
  std::erase(options.candidate_labels, "");
  if (options.candidate_labels.empty()) {
    throw UsageError({.where = "candidate_labels",
                      .given = "no label",
                      .expected = "the labels to choose from: --candidate-labels sports,politics"});
  }
  std::vector<std::string> sorted = options.candidate_labels;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end()) {
    throw UsageError(
        {.where = "candidate_labels", .given = in_quotes(*twice) + " twice", .expected = "each label once"});
  }
  const std::string& text = options.hypothesis_template;
  if (text.find(kPlace) == std::string::npos || text.find(kPlace) != text.rfind(kPlace)) {
    throw UsageError({.where = "hypothesis_template",
                      .given = in_quotes(text),
                      .expected = "a text with one {}, which a label replaces: \"This text is about {}.\""});
  }
  return options;
}

std::vector<double> softmax(std::vector<double> logits) {
  const double highest = *std::ranges::max_element(logits);
  double total = 0;
  for (double& logit : logits) total += logit = std::exp(logit - highest);
  for (double& logit : logits) logit /= total;
  return logits;
}

// Collects the labels of each text, which are consecutive examples.
class ZeroShotLines final : public PredictionLines {
 public:
  ZeroShotLines(const ZeroShotClassificationOptions& options, const Relations& relations)
      : labels_(options.candidate_labels),
        is_independent_(options.multi_label || options.candidate_labels.size() == 1),
        relations_(relations) {}

  std::string take(const data::Example& batch, const data::Example& outputs) override {
    const std::span<const float> weights = batch.tensor(data::kExampleWeight).as<float>();
    const std::span<const float> logits = outputs.tensor("logits").as<float>();
    std::string lines;
    for (size_t row = 0; row < weights.size(); ++row) {
      if (weights[row] == 0) continue;
      add(logits.subspan(row * relations_.classes, relations_.classes));
      if (entailments_.size() == labels_.size()) lines += line();
    }
    return lines;
  }

 private:
  void add(std::span<const float> logits) {
    const double entailment = logits[relations_.entailment];
    entailments_.push_back(is_independent_ ? softmax({logits[relations_.contradiction], entailment})[1] : entailment);
  }

  std::string line() {
    const std::vector<double> entailments = std::exchange(entailments_, {});
    const std::vector<double> scores = is_independent_ ? entailments : softmax(entailments);
    const auto best = static_cast<size_t>(std::ranges::max_element(scores) - scores.begin());
    const auto number = [](double score) { return tasks::shortest(static_cast<float>(score)); };
    Json all = Json::object();
    for (size_t i = 0; i < labels_.size(); ++i) all[labels_[i]] = number(scores[i]);
    return io::line_of({{"label", labels_[best]}, {"score", number(scores[best])}, {"scores", all}});
  }

  const std::vector<std::string>& labels_;
  const bool is_independent_;
  const Relations relations_;
  std::vector<double> entailments_;  // of the labels of a text so far: probabilities if they are independent, or logits
};

class ZeroShotClassification final : public tasks::SeveralExamplesTask {
 public:
  ZeroShotClassification(const ModelSource& model, ZeroShotClassificationOptions options,
                         const std::function<void(const std::string&)>& notice)
      : SeveralExamplesTask(model, options.max_length, options.text_column),
        options_(checked(std::move(options))),
        relations_(relations_in(checkpoint().config(), notice)) {}

  std::unique_ptr<PredictionLines> prediction_lines() const override {
    return std::make_unique<ZeroShotLines>(options_, relations_);
  }

  std::vector<std::string> inputs() const override { return checkpoint().inputs(); }
  Forward forward(const nn::Scope& root, const Columns& batch) const override {
    const models::TextModel& model = checkpoint().model();
    const models::TextInputs in = checkpoint().inputs_of(batch);
    const models::HeadInputs head{.x = model.body().hidden_states(root, in).back(),
                                  .text = in,
                                  .num_labels = static_cast<int64_t>(relations_.classes)};
    return predicted(batch, {{"logits", model.logits(models::HeadKind::kSequenceClassification, root, head)}});
  }

 private:
  // An example for each label: the text and the hypothesis about the label.
  std::vector<data::Example> encode(const data::Example& row) const override {
    std::vector<data::Example> examples;
    for (const std::string& label : options_.candidate_labels) {
      std::string hypothesis = options_.hypothesis_template;
      hypothesis.replace(hypothesis.find(kPlace), kPlace.size(), label);
      const text::Encoding pair = data::call_on(row, [&](const data::Example& r) {
        return checkpoint().tokenizer().encode(
            text_of(r), hypothesis, {.max_length = max_length(), .truncation = text::TruncationStrategy::kOnlyFirst});
      });
      checkpoint().set_ids(examples.emplace_back(row.origin()), pair.ids, pair.type_ids);
    }
    return examples;
  }

  const ZeroShotClassificationOptions options_;
  const Relations relations_;
};

}  // namespace

std::unique_ptr<RowTask> zero_shot_classification(const ModelSource& model, ZeroShotClassificationOptions options,
                                                  const std::function<void(const std::string& remark)>& notice) {
  return std::make_unique<ZeroShotClassification>(model, std::move(options), notice);
}

void ZeroShotClassificationOptions::describe(OptionFields& fields) {
  describe_max_length(fields, max_length);
  describe_text_column(fields, text_column);
  fields("candidate_labels", candidate_labels, "labels to choose from");
  fields("hypothesis_template", hypothesis_template, "text about a label, which replaces {}");
  fields("multi_label", multi_label, "any number of the labels may be true");
}

const TaskSpec& zero_shot_classification_spec() {
  static const TaskSpec kSpec = task_spec<ZeroShotClassificationOptions>(
      {.name = "zero-shot-classification",
       .classes = {},
       .run_options = {RunOption::kPadding},
       .pipeline = "zero-shot-classification",
       .make = [](const TaskContext& context, const ZeroShotClassificationOptions& options) {
         return zero_shot_classification(context.model, options, context.notice);
       }});
  return kSpec;
}

}  // namespace portatune

// Prediction of next sentences: whether the second of two texts follows the first one.
#pragma once

#include <string>
#include <vector>

#include "portatune/tasks/text_classification.h"

namespace portatune {

/// The options of the task "next-sentence-prediction". The class of transformers is BertForNextSentencePrediction, and
/// the task TextClassification.
struct NextSentencePredictionOptions {
  std::string text_column = "text";
  std::string text_pair_column = "text_pair";
  std::string label_column = "label";
  int64_t max_length = 128;              ///< tokens of both texts, special ones included
  std::vector<std::string> labels = {};  ///< for a text that follows, then for another one; default: those of the model
  std::vector<std::string> metrics = {};
  double label_smoothing = 0;

  void describe(OptionFields& fields);
};
const TaskSpec& next_sentence_prediction_spec();

}  // namespace portatune

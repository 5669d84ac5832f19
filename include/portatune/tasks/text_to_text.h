// Summarization, translation and other tasks that turn a text into a text, with encoder-decoder models.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "portatune/tasks.h"

namespace portatune {

class OptionFields;
struct TaskSpec;

/// The names are those of transformers' run_summarization.py and run_translation.py.
struct TextToTextOptions {
  std::string text_column;    ///< column of the source text; empty: the first column of the files
  std::string target_column;  ///< column of the target text; empty: the second column of the files
  /// Languages of source and target, "en" or "en_XX". Without target_column they are keys of the object in a column
  /// such as {"en": "Hello", "ro": "Salut"}, which is text_column or else "translation". If the tokenizer adds a token
  /// for the language to each text (mBART), they are also its tokens. Empty: source and target have a column each.
  std::string source_lang, target_lang;
  std::string source_prefix;           ///< text before every source: "summarize: "
  int64_t max_length = 1024;           ///< tokens of a source, special ones included; longer sources are cut
  int64_t max_target_length = 128;     ///< tokens of a target, special ones included; longer targets are cut
  double label_smoothing = 0;          ///< share of a target that all tokens get alike, in training
  bool predict_with_generate = false;  ///< evaluations also generate texts and compare them with the targets
  /// Maximal number of tokens of a generated text, with the first one that the decoder reads. None: max_target_length.
  std::optional<int64_t> generation_max_length;
  std::optional<int64_t> num_beams;  ///< beams of a generated text; none: those of the model folder
  std::string forced_bos_token;      ///< first token of every generated text; empty: that of the model folder, if any
  bool use_stemmer = true;           ///< ROUGE compares the stems of English words
  std::vector<std::string> metrics;  ///< scores of generated texts, by name; empty: those of the task

  void describe(OptionFields& fields);
};

/// Scores of generated texts.
struct TextToTextScores {
  std::vector<std::string> reported = {"exact_match", "f1", "rougeL", "gen_len"};  ///< if the options name none
  std::string of_best_model = "exact_match";  ///< decides about the best model, if it is reported
};

/// A task that learns to write the target of a source, with an encoder-decoder model. Batches have int32 "input_ids",
/// "attention_mask" [batch, source] and "labels" [batch, target], which are -100 in padding. Batches of
/// Labels::kIgnored have no labels: their texts are generated. Metrics: "perplexity" and "accuracy" of the target
/// tokens and, with predict_with_generate, those of the generated texts. A line of predictions is {"text": the
/// generated text}.
/// errors  those of TextClassification; UsageError for a model that is no encoder-decoder, for lengths that it does not
///         have, and for one language without the other; DataError that names the row for an empty source or target
std::unique_ptr<RowTask> text_to_text(const ModelSource& model, TextToTextOptions options,
                                      const TextToTextScores& scores = {});

/// The tasks "summarization", "translation" and "text-to-text", with TextToTextOptions.
const TaskSpec& summarization_spec();
const TaskSpec& translation_spec();
const TaskSpec& text_to_text_spec();

}  // namespace portatune

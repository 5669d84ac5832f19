// Detection of replaced tokens: which words of a text a generator has replaced. It is the pretraining of ELECTRA's
// discriminator.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "portatune/tasks.h"

namespace portatune {

class OptionFields;
struct TaskSpec;

struct ReplacedTokenDetectionOptions {
  std::string tokens_column = "tokens";  ///< column of the words: a JSON list of strings
  std::string tags_column = "replaced";  ///< column of a JSON list of the same length: 1 for a replaced word, else 0
  int64_t max_length = 128;              ///< tokens of a text, special ones included; words beyond are skipped
  /// Names of metrics over all tokens with a label (docs/results/metrics.md); {"all"}: every one; empty: the usual
  /// ones.
  std::vector<std::string> metrics = {};

  void describe(OptionFields& fields);
};
const TaskSpec& replaced_token_detection_spec();

/// The class ElectraForPreTraining of transformers. All tokens of a word have its label, special tokens the label 0.
/// errors  CheckpointError, NotFoundError for a faulty folder; UsageError for options that do not fit it, or a model
///         without this head
std::unique_ptr<RowTask> replaced_token_detection(const ModelSource& model, ReplacedTokenDetectionOptions options);

}  // namespace portatune

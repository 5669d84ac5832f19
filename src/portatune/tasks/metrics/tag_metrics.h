// Metrics of tags: by entity and by word.
#pragma once

#include <string>
#include <vector>

#include "portatune/tasks.h"

namespace portatune::tasks {

/// The output with the id of the most probable tag of each token, int32 [batch, seq].
inline constexpr const char* kTagIds = "tag_ids";

/// The tags of the labelled words of a sentence.
struct TaggedSentence {
  std::vector<std::string> expected, predicted;
  int64_t words_left_out = 0;  ///< number of words without a label, which the model has not seen
};

/// The sentences of a batch. Reads "labels" [batch, seq] (below 0: no word begins here), "word_count" [batch] and the
/// example weights of the batch, kTagIds of the outputs.
/// tags  names in the order of the ids
std::vector<TaggedSentence> tagged_sentences(const data::Example& batch, const data::Example& outputs,
                                             const std::vector<std::string>& tags);

/// "precision", "recall" and "f1" of the entities of all types together, 0 if there are none as in seqeval, and
/// "accuracy" of the words. If there are words without a label, which the model has not seen, "words_left_out" is their
/// number; no other metric counts them.
/// source    seqeval 1.2.2: precision_score, recall_score, f1_score, accuracy_score without a mode
class TagMetrics final : public Metrics {
 public:
  explicit TagMetrics(std::vector<std::string> labels) : labels_(std::move(labels)) {}
  void update(const data::Example& batch, const data::Example& outputs) override;
  Scores result() const override;

 private:
  void add_sentence(const TaggedSentence& sentence);

  const std::vector<std::string> labels_;
  int64_t expected_entities_ = 0, predicted_entities_ = 0, common_entities_ = 0;
  int64_t words_ = 0, right_words_ = 0, words_left_out_ = 0;
};

}  // namespace portatune::tasks

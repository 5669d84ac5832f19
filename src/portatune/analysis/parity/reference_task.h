// A class of transformers as a task, for the inputs of a case.
#pragma once

#include "portatune/analysis/parity/reference_case.h"
#include "portatune/media_models.h"
#include "portatune/models.h"
#include "portatune/tasks.h"

namespace portatune::parity {

/// Outputs have the names of transformers: "logits" (or "start_logits", ...) and "hidden_states.0", ..., or those of
/// both stacks: "encoder_hidden_states.0", "decoder_hidden_states.0", ... A loss is computed if the inputs have labels.
class ReferenceTask final : public Task {
 public:
  /// errors  CheckpointError for a class that Portatune lacks
  explicit ReferenceTask(const ReferenceCase& reference);
  /// Uses another model in place of the case's own: one that computes the same in another way.
  ReferenceTask(const ReferenceCase& reference, std::unique_ptr<const models::TextModel> model);

  bool has_loss() const;
  /// Returns whether the comparison of an output ignores positions that attention_mask hides.
  bool is_per_position(const std::string& output) const;

  std::vector<std::string> inputs() const override;
  Forward forward(const nn::Scope& root, const Columns& batch) const override;
  std::unique_ptr<Metrics> metrics() const override { return nullptr; }
  TokenCount tokens(const data::Example&) const override { return {}; }
  double initializer_range() const override;
  /// errors  CheckpointError naming a parameter that the checkpoint lacks
  InitialWeights initial_weights(std::span<const nn::Parameter> parameters, uint64_t seed) const override;
  void save(const std::filesystem::path&) const override {}

 private:
  Forward text_forward(const nn::Scope& root, const Columns& batch) const;
  Forward seq2seq_forward(const nn::Scope& root, const models::TextInputs& in, const Columns& batch) const;
  Value decoder_input_ids(const Columns& batch) const;
  models::Seq2SeqStates seq2seq_states(const nn::Scope& root, const models::TextInputs& in, const Columns& batch) const;
  Forward speech_forward(const nn::Scope& root, const Columns& batch) const;
  Forward image_forward(const nn::Scope& root, const Columns& batch) const;
  Forward audio_forward(const nn::Scope& root, const Columns& batch) const;
  Forward text_head(const nn::Scope& root, const models::TextInputs& in, const Value& x, const Columns& batch) const;
  Forward image_head(const nn::Scope& root, const Value& x, const Columns& batch) const;
  Forward audio_head(const nn::Scope& root, const Values& hidden_states, const models::AudioInputs& in,
                     const Columns& batch) const;
  Forward speech_pretraining(const nn::Scope& root, const models::AudioInputs& in, const Columns& batch) const;
  Forward speakers(const models::XVectors& found, const Value& labels) const;
  Forward ctc(const Value& logits, const models::AudioInputs& in, const Columns& batch, const Mesh& mesh) const;
  Forward sequence_classification(const Value& logits, const Columns& batch) const;
  Forward pretraining(const nn::Scope& root, const Value& x, const Columns& batch) const;

  /// The value of an input.
  /// errors  CheckpointError if the case lacks it
  const Value& column(const Columns& batch, const std::string& name) const;
  /// What `get` returns for the facts of the model.
  template <class Get>
  decltype(auto) of_facts(Get get) const;
  int64_t num_labels() const;
  const std::string& base_prefix() const;
  /// reason  why the class is missing, if known
  [[noreturn]] void refuse_class(const std::string& reason = {}) const;

  const ReferenceCase& reference_;
  std::unique_ptr<const models::TextModel> text_model_;
  std::unique_ptr<const models::ImageModel> image_model_;
  std::unique_ptr<const models::AudioModel> audio_model_;  // one of the three models; the others are null
  std::string head_;                                       // class name without its prefix: "ForMaskedLM"
};

}  // namespace portatune::parity
